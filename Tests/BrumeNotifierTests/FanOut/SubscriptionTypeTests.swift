import BrumeModel
import BrumeStorage
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// SUB-25: production takes the kinds of subscriptions that were deployed.
struct SubscriptionTypeTests {
  private func filter(_ text: String) -> Filter { Filter(.equals, .field("title"), .string(text)) }

  private func save(
    _ kind: Subscription.Kind, in environment: Environment, _ fixture: NotifierFixture
  ) async throws -> BrumeError? {
    let id = "s\(fixture.clock.next())"
    let results = try await fixture.engine.subscriptions.modify(
      [.save(Subscription(id: id, kind: kind, info: silent()))], in: .private,
      as: fixture.caller(alice, environment: environment))
    guard case .failure(let failure) = results[0] else { return nil }
    return failure.error
  }

  @Test func `SUB-25 a kind is refused in production until it is deployed`() async throws {
    let fixture = try await NotifierFixture { $0.deploysSubscriptionTypes = true }
    try await fixture.engine.schemas.deploy(container)
    let refused = try await save(query("Note", [filter("Milk")]), in: .production, fixture)
    #expect(refused?.code == .badRequest)
    #expect(refused?.reason.contains("new subscription type") == true)
    #expect(try await save(query("Note", [filter("Milk")]), in: .development, fixture) == nil)
    #expect(try await save(query("Note", [filter("Milk")]), in: .production, fixture) != nil)
    try await fixture.engine.schemas.deploy(container)
    // The kind is what is asked for, not the value; other events are another kind.
    #expect(try await save(query("Note", [filter("Bread")]), in: .production, fixture) == nil)
    let others = query("Note", [filter("Milk")], on: [.delete])
    #expect(try await save(others, in: .production, fixture) != nil)
    #expect(try await save(.database(recordType: nil), in: .production, fixture) != nil)
  }

  @Test func `SUB-25 it is an option, off by default`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.engine.schemas.deploy(container)
    #expect(try await save(query("Note", [filter("Milk")]), in: .production, fixture) == nil)
  }

  @Test func `SUB-25 an environment remembers so many kinds`() async throws {
    let fixture = try await NotifierFixture {
      $0.deploysSubscriptionTypes = true
      $0.subscriptionTypes = 1
    }
    let first = query("Note", [filter("Milk")])
    #expect(try await save(first, in: .development, fixture) == nil)
    #expect(try await save(.database(recordType: nil), in: .development, fixture) == nil)
    try await fixture.engine.schemas.deploy(container)
    #expect(try await save(first, in: .production, fixture) == nil)
    #expect(try await save(.database(recordType: nil), in: .production, fixture) != nil)
  }

  @Test func `SUB-25 what was deployed before stays`() async throws {
    let fixture = try await NotifierFixture { $0.deploysSubscriptionTypes = true }
    #expect(try await save(.database(recordType: nil), in: .development, fixture) == nil)
    try await fixture.engine.schemas.deploy(container)
    #expect(try await save(query("Note", [filter("Milk")]), in: .development, fixture) == nil)
    try await fixture.engine.schemas.deploy(container)
    #expect(try await save(.database(recordType: nil), in: .production, fixture) == nil)
    #expect(try await save(query("Note", [filter("a")]), in: .production, fixture) == nil)
  }
}
