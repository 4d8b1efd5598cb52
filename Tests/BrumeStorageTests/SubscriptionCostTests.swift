import BrumeCore
import BrumeModel
import BrumeSQLite
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Synchronization
import Testing

/// What saving many subscriptions asks of the store, whose one writer everybody else waits for.
struct SubscriptionCostTests {
  private final class Count: Sendable {
    private let state = Mutex(0)
    var value: Int { state.withLock { $0 } }
    func add() { state.withLock { $0 += 1 } }
  }

  @Test func `a request reads what its user has once, whatever it saves and however it fails`()
    async throws
  {
    let decoded = Count()
    let coders = StoreCoders(
      record: .wire, encodeSubscription: { Wire.encode($0) },
      decodeSubscription: {
        decoded.add()
        return try Wire.subscription($0)
      })
    let folder = try TemporaryFolder()
    let store = try folder.openSQLite(coders: coders)
    let server = try await TestServer(store: store)
    let (phone, trails) = (try await server.device("phone", of: "alice"), ZoneID(name: "Trails"))
    _ = try await server.engine.zones.modify([.init(.create, trails)], in: .private, as: phone)
    for round in 0..<2 {
      let before = decoded.value
      let operations = (0..<60).map { number in
        // Every third says the same as the first.
        let type = "T\(round)x\(number % 3 == 2 ? 0 : number)"
        return SubscriptionOperation.save(
          Subscription(
            id: "\(round)-\(number)", kind: .zone(trails, recordType: type),
            info: NotificationInfo()))
      }
      let results = try await server.engine.subscriptions.modify(
        operations, in: .private, as: phone)
      #expect(results.count { if case .failure = $0 { true } else { false } } == 20)
      #expect(decoded.value - before == round * 40)
    }
    try await store.close()
  }
}
