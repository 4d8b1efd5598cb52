import BrumeModel
import BrumeStorage
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// SUB-25: production takes the kinds of subscriptions that were deployed.
struct SubscriptionTypeTests {
  private func filter(_ text: String) -> Filter { Filter(.equals, .field("title"), .string(text)) }

  private func save(
    _ kind: Subscription.Kind, in environment: Environment, _ world: NotifierWorld
  ) async throws -> BrumeError? {
    let id = "s\(world.clock.next())"
    let results = try await world.engine.modifySubscriptions(
      [.save(Subscription(id: id, kind: kind, info: silent()))], in: .private,
      as: world.caller(alice, environment: environment))
    guard case .failure(let failure) = results[0] else { return nil }
    return failure.error
  }

  @Test func `SUB-25 a kind is refused in production until it is deployed`() async throws {
    let world = try await NotifierWorld { $0.deploysSubscriptionTypes = true }
    try await world.engine.deploySchema(container: container)
    let refused = try await save(query("Note", [filter("Milk")]), in: .production, world)
    #expect(refused?.code == .badRequest)
    #expect(refused?.reason.contains("new subscription type") == true)
    #expect(try await save(query("Note", [filter("Milk")]), in: .development, world) == nil)
    #expect(try await save(query("Note", [filter("Milk")]), in: .production, world) != nil)
    try await world.engine.deploySchema(container: container)
    // The kind is what is asked for, not the value; other events are another kind.
    #expect(try await save(query("Note", [filter("Bread")]), in: .production, world) == nil)
    let others = query("Note", [filter("Milk")], on: [.delete])
    #expect(try await save(others, in: .production, world) != nil)
    #expect(try await save(.database(recordType: nil), in: .production, world) != nil)
  }

  @Test func `SUB-25 it is an option, off by default`() async throws {
    let world = try await NotifierWorld()
    try await world.engine.deploySchema(container: container)
    #expect(try await save(query("Note", [filter("Milk")]), in: .production, world) == nil)
  }

  @Test func `SUB-25 what was deployed before stays`() async throws {
    let world = try await NotifierWorld { $0.deploysSubscriptionTypes = true }
    #expect(try await save(.database(recordType: nil), in: .development, world) == nil)
    try await world.engine.deploySchema(container: container)
    #expect(try await save(query("Note", [filter("Milk")]), in: .development, world) == nil)
    try await world.engine.deploySchema(container: container)
    #expect(try await save(.database(recordType: nil), in: .production, world) == nil)
    #expect(try await save(query("Note", [filter("a")]), in: .production, world) == nil)
  }
}
