// What a caller changes does not begin once he has gone: nobody waits for it any more.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

@Suite struct GoneCallerTests {
  /// Whether a call ends as cancelled whose caller has gone before its turn.
  private func isCancelled(_ call: @escaping @Sendable () async throws -> Void) async -> Bool {
    let gone = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await call()
    }
    guard case .failure(let error) = await gone.result else { return false }
    return error is CancellationError
  }

  @Test func `a record, a zone and a subscription are not saved for who has gone`() async throws {
    let fixture = try await EngineFixture()
    let (engine, phone) = (fixture.engine, fixture.phone)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await fixture.modify([.create("late")]) },
      {
        let zone = ZoneOperation(.create, ZoneID(name: "Late"))
        _ = try await engine.zones.modify([zone], in: .private, as: phone)
      },
      {
        let late = Subscription(
          id: "late", kind: .zone(EngineFixture.trails, recordType: nil), info: nil)
        _ = try await engine.subscriptions.modify([.save(late)], in: .private, as: phone)
      },
      { try await engine.notifications.setBadge(7, as: phone) },
    ]
    for call in calls { #expect(await isCancelled(call)) }
    #expect(try await fixture.changes().changes.isEmpty)
    let database = try phone.databaseKey(.private)
    let zones = try await fixture.server.store.read { store in
      try store.zones.all(in: database).map(\.key.name)
    }
    #expect(!zones.contains("Late"), "\(zones)")
    let subscriptions = try await engine.subscriptions.list(in: .private, as: phone)
    #expect(subscriptions.isEmpty)
  }
}
