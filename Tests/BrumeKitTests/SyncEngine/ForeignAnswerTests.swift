import BrumeClient
import BrumeModel
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

/// A network that answers instead of the server, as a hotel's sign-in page does.
private final class Portal: Transport {
  private let server: ScriptedServer
  private let page: HTTPAnswer
  private let action: String
  private let isBetween = Mutex(true)

  init(_ server: ScriptedServer, at action: String, status: Int, _ text: String) {
    self.server = server
    self.action = action
    page = HTTPAnswer(status: status, body: Array(text.utf8))
  }

  func goAway() { isBetween.withLock { $0 = false } }

  func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    isBetween.withLock { $0 } && call.target.contains(action) ? page : try await server.send(call)
  }

  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? { nil }

  var container: CKContainer {
    let settings = Configuration(
      url: "http://scripted", in: ContainerEnvironment(ContainerID("iCloud.test"), .development),
      apiToken: "token",
      userToken: "user")
    return Brume.container(settings, transport: self, host: Session.Host())
  }
}

/// An app with one record to save.
private final class App: CKSyncEngineDelegate {
  let id = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Notes"))
  let received = Mutex<[CKSyncEngine.Event]>([])

  func engine(_ container: CKContainer) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: container.privateCloudDatabase, stateSerialization: nil, delegate: self)
    configuration.automaticallySync = false
    return CKSyncEngine(configuration)
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    received.withLock { $0.append(event) }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    await CKSyncEngine.RecordZoneChangeBatch(
      pendingChanges: syncEngine.state.pendingRecordZoneChanges
    ) { CKRecord(recordType: "Note", recordID: $0) }
  }

  /// Whether failed records were reported to the app, or that the user is gone.
  var reportedLosses: Bool {
    received.withLock { events in
      events.contains {
        if case .sentRecordZoneChanges = $0 { return true }
        if case .accountChange(let event) = $0, case .signIn = event.changeType { return false }
        if case .accountChange = $0 { return true }
        return false
      }
    }
  }
}

@Suite struct ForeignAnswerTests {
  @Test(
    arguments: ["records/modify", "users/caller"],
    [
      (200, "<html>Welcome</html>"), (200, #"{"status":"sign in"}"#), (302, ""), (401, "<html>"),
    ])
  func `a pending change outlives a network that answers instead of the server`(
    action: String, page: (status: Int, text: String)
  ) async throws {
    let portal = Portal(
      ScriptedServer { _, _ in throw BrumeError(.zoneBusy, "the server itself") }, at: action,
      status: page.status, page.text)
    let app = App()
    let engine = app.engine(portal.container)
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(app.id)])
    let error = await #expect(throws: CKError.self) { try await engine.sendChanges() }
    #expect(error?.code == .networkFailure)
    #expect(engine.state.pendingRecordZoneChanges == [.saveRecord(app.id)])
    #expect(!app.reportedLosses)
    portal.goAway()
    let next = await #expect(throws: CKError.self) { try await engine.sendChanges() }
    #expect(next?.code == .zoneBusy)
  }

  @Test func `a call says that something else answered`() async throws {
    let portal = Portal(
      ScriptedServer { _, _ in throw BrumeError(.zoneBusy, "x") }, at: "zones/list", status: 200,
      "<html>")
    let error = await #expect(throws: CKError.self) {
      try await portal.container.privateCloudDatabase.allRecordZones()
    }
    #expect(error?.code == .networkFailure)
    #expect(error?.localizedDescription.contains("sign in") == true)
  }
}
