import BrumeCore
import BrumeModel
import Testing

/// Many subscriptions of one user, in one request. What it costs: `SubscriptionCostTests`.
struct OwnSubscriptionTests {
  private func save(_ id: String, type: String) -> SubscriptionOperation {
    .save(
      Subscription(
        id: id, kind: .zone(EngineFixture.trails, recordType: type), info: NotificationInfo()))
  }
  private func reason(_ result: SubscriptionResult) -> String? {
    if case .failure(let failure) = result { failure.error.reason } else { nil }
  }

  @Test func `a long ID that does not exist is said with its beginning`() async throws {
    let fixture = try await EngineFixture()
    let (subscriptions, id) = (fixture.engine.subscriptions, String(repeating: "z", count: 100_000))
    let found = try await subscriptions.lookup([id], in: .private, as: fixture.phone)
    let deleted = try await subscriptions.modify(
      [.delete(id: id)], in: .private, as: fixture.phone)
    for result in found + deleted {
      let said = try #require(reason(result))
      #expect(said.hasPrefix("subscription 'zzzzz") && said.utf8.count < 1000)
    }
  }

  @Test func `items of one request see what those before them did`() async throws {
    var limits = Limits.apple
    limits.subscriptionsPerUser = 2
    let fixture = try await EngineFixture(limits: limits)
    let results = try await fixture.engine.subscriptions.modify(
      [
        save("a", type: "Note"), save("b", type: "Note"), save("c", type: "Diary"),
        save("d", type: "Walk"), .delete(id: "a"), save("b", type: "Note"),
        // Other conditions under an ID free the old ones.
        save("c", type: "Walk"), .delete(id: "b"), save("e", type: "Diary"),
      ], in: .private, as: fixture.phone)
    #expect(
      results.map { reason($0).map { String($0.prefix(28)) } } == [
        nil, "subscription is duplicate of", nil, "the user has 2 subscriptions", nil, nil, nil,
        nil,
        nil,
      ])
    let all = try await fixture.engine.subscriptions.list(in: .private, as: fixture.phone)
    #expect(all.map(\.id) == ["c", "e"])
  }
}
