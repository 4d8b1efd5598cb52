import Foundation
import Synchronization
import Testing

@testable import BrumeKit

@Suite struct SyncStateTests {
  private let zone = CKRecordZone.ID(zoneName: "Z")
  private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone) }
  private func save(_ name: String) -> SyncState.RecordChange { .saveRecord(id(name)) }
  private func delete(_ name: String) -> SyncState.RecordChange { .deleteRecord(id(name)) }

  @Test func `a later change of a record replaces the earlier one, in its place`() {
    var state = SyncState()
    state.add([save("a"), save("b")])
    state.add([delete("a"), save("b"), save("c")])
    #expect(state.pending == [delete("a"), save("b"), save("c")])
    state.add([save("a")])
    #expect(state.pending.first == save("a"))
  }

  @Test func `what is being sent counts as pending until it is answered`() {
    var state = SyncState()
    state.add([save("a"), save("b")])
    state.begin([save("a")])
    #expect(state.pending == [save("a"), save("b")])
    state.answered(keeping: [])
    #expect(state.pending == [save("b")])
    state.finish()
    #expect(state.pending == [save("b")])
  }

  @Test func `ENG-09 a change made while the record is being sent stays pending`() {
    var state = SyncState()
    state.add([save("a")])
    state.begin([save("a")])
    state.add([save("a")])
    state.answered(keeping: [])
    state.finish()
    #expect(state.pending == [save("a")])
  }

  @Test func `ENG-09 what could not be sent gives way to what was wanted later`() {
    var state = SyncState()
    state.add([save("a"), save("b")])
    state.begin([save("a"), save("b")])
    state.add([delete("a")])
    state.answered(keeping: [save("a"), save("b")])
    state.finish()
    #expect(Set(state.pending) == [delete("a"), save("b")])
  }

  @Test func `a zone that records were sent to before it was fetched is known until it is`()
    throws
  {
    var state = SyncState()
    state.sent(to: [zone])
    #expect(try kept(state).zonesSentTo == [zone])
    state.fetched(zone, token: "1", moreComing: true)
    #expect(state.zonesSentTo.isEmpty)
    state.sent(to: [zone])
    #expect(state.zonesSentTo.isEmpty)
  }

  @Test func `records that were sent to a zone are known until all of it was fetched`() throws {
    var state = SyncState()
    state.has([id("a"): "Note", id("b"): "Note"])
    state.has([CKRecord.ID(recordName: "in the default zone"): "Note"])
    #expect(try kept(state).recordsSent == [id("a"): "Note", id("b"): "Note"])
    state.fetched(zone, token: "1", moreComing: true)
    state.named([id("a")])
    state.has([id("c"): "Note"])
    #expect(try kept(state).recordsSent == [id("b"): "Note"])
    state.fetched(zone, token: "2", moreComing: false)
    #expect(state.recordsSent.isEmpty)
  }

  @Test func `what is sent again while pages are fetched is there, whatever they name`() {
    var state = SyncState()
    state.has([id("a"): "Note"])
    state.made(zone, token: "1")
    #expect(state.recordsSent == [id("a"): "Note"])
    state.has([id("a"): "Note"])
    #expect(state.recordsSent.isEmpty)
  }

  @Test func `of the records that were sent to a zone no more than 400 are remembered`() {
    var state = SyncState()
    for number in 0...SyncState.mostRecordsSent { state.has([id("\(number)"): "Note"]) }
    #expect(state.recordsSent.count == 400)
    state.forget(zone)
    #expect(state.recordsSent.isEmpty)
  }

  @Test func `what the app takes back while it is being sent is not sent again`() throws {
    var state = SyncState()
    state.add([save("a"), save("b")])
    state.begin([save("a"), save("b")])
    state.remove([save("a")])
    #expect(state.pending == [save("b")])
    #expect(try kept(state).pending == [save("b")])
    state.answered(keeping: [save("a"), save("b")])
    state.finish()
    #expect(state.pending == [save("b")])
  }

  @Test func `being killed while something is sent, or answered, keeps it pending`() throws {
    var state = SyncState()
    state.add([save("a"), delete("b")])
    state.begin([save("a"), delete("b")])
    #expect(try kept(state).pending == [save("a"), delete("b")])
    state.answered(keeping: [])
    #expect(try kept(state).pending == [save("a"), delete("b")])
    state.finish()
    #expect(try kept(state).pending.isEmpty)
  }

  @Test func `being killed keeps what was wanted last`() throws {
    var state = SyncState()
    state.add([save("a")])
    state.begin([save("a")])
    state.add([delete("a")])
    #expect(try kept(state).pending == [delete("a")])
  }

  @Test func `there is no state update while an event has to be delivered first`() {
    let state = CKSyncEngine.State(SyncState())
    state.add(pendingDatabaseChanges: [.deleteZone(zone)])
    #expect(state.takeUpdate()?.state.databaseChanges.count == 1)
    state.updateAheadOfEvent { $0.remove([.deleteZone(zone)]) }
    #expect(state.takeUpdate()?.state == nil)
    // The app goes on working; that causes no state update either.
    state.add(pendingRecordZoneChanges: [save("a")])
    #expect(state.takeUpdate()?.state == nil)
    state.eventWasDelivered()
    let update = state.takeUpdate()?.state
    #expect(update?.databaseChanges.isEmpty == true && update?.pending == [save("a")])
    #expect(state.takeUpdate()?.state == nil)
  }

  @Test func `what is added while the app is asked for records stays, though it had none`() {
    let state = CKSyncEngine.State(SyncState())
    state.add(pendingRecordZoneChanges: [save("a"), save("b")])
    state.batchBegins()
    state.add(pendingRecordZoneChanges: [save("a")])
    state.batchEnds(without: [save("a"), save("b")])
    #expect(state.pendingRecordZoneChanges == [save("a")])
    state.batchBegins()
    state.batchEnds(without: [save("a")])
    #expect(state.pendingRecordZoneChanges.isEmpty)
  }

  @Test func `ENG-09 a change made while the app puts a batch together stays pending`() {
    let state = CKSyncEngine.State(SyncState())
    state.add(pendingRecordZoneChanges: [save("a"), save("b"), save("c"), save("d")])
    state.batchBegins()
    state.add(pendingRecordZoneChanges: [save("a"), save("b"), save("c")])
    state.add(pendingRecordZoneChanges: [delete("b")])
    state.remove(pendingRecordZoneChanges: [save("c")])
    state.batchEnds(without: [])
    state.add(pendingRecordZoneChanges: [save("d")])
    state.begin([save("a"), save("b"), save("c"), save("d")])
    state.update { $0.finish() }
    #expect(state.pendingRecordZoneChanges == [save("a"), delete("b"), save("d")])
  }

  @Test func `what a delegate adds when it is asked for a batch, and gives, is not sent again`() {
    let state = CKSyncEngine.State(SyncState())
    state.batchBegins()
    SkippedChanges.$current.withValue(SkippedChanges()) {
      state.add(pendingRecordZoneChanges: [save("a")])
    }
    state.batchEnds(without: [])
    state.begin([save("a")])
    state.update { $0.finish() }
    #expect(state.pendingRecordZoneChanges.isEmpty)
  }

  @Test func `saying again that there are untracked changes is a reason to send`() {
    let state = CKSyncEngine.State(SyncState())
    let reasons = Mutex<[Bool]>([])
    state.whenChanged { hasMore in reasons.withLock { $0.append(hasMore) } }
    state.hasPendingUntrackedChanges = true
    state.hasPendingUntrackedChanges = true
    #expect(reasons.withLock { $0 } == [true, true])
    // In an event it is none: each send would be the reason of the next.
    DelegateCall.$current.withValue(DelegateCall()) { state.hasPendingUntrackedChanges = true }
    #expect(reasons.withLock { $0 } == [true, true])
    state.hasPendingUntrackedChanges = false
    #expect(reasons.withLock { $0 } == [true, true, false])
  }

  @Test func `a list of changes is as one that is searched from its beginning`() {
    var list = ChangeList()
    var plain: [SyncState.RecordChange] = []
    for step in 0..<500 {
      let name = "n\(step * 7919 % 23)"
      let change = step % 3 == 0 ? delete(name) : save(name)
      if step % 5 == 0 {
        #expect(list.remove([change]) == plain.contains(change))
        plain.removeAll { $0 == change }
      } else {
        #expect(list.add([change]) == !plain.contains(change))
        let place = plain.firstIndex { $0.recordID == change.recordID }
        if let place { plain[place] = change } else { plain.append(change) }
      }
      #expect(list.all == plain)
    }
  }

  @Test(.timeLimit(.minutes(1))) func `thousands of changes can be added one by one`() {
    let state = CKSyncEngine.State(SyncState())
    for number in 0..<20_000 { state.add(pendingRecordZoneChanges: [save("n\(number)")]) }
    #expect(state.pendingRecordZoneChanges.count == 20_000)
  }

  @Test func `a zone that the database does not name when it begins anew stays noted`() throws {
    var state = SyncState()
    let other = CKRecordZone.ID(zoneName: "Other")
    state.fetched(changed: [zone, other], deleted: [], token: "1")
    state.fetched(zone, token: "zone", moreComing: false)
    state.fetched(other, token: "other", moreComing: false)
    state.beginDatabaseAnew()
    #expect(state.databaseToken == nil && state.unnamedZones == [zone, other])
    state.fetched(changed: [other], deleted: [], token: "2")
    #expect(try kept(state).unnamedZones == [zone])
    state.forget(zone)
    #expect(state.unnamedZones.isEmpty && state.zoneTokens == [other: "other"])
  }

  @Test func `before the first fetch zones are known that were made, or have records of the app`() {
    var state = SyncState()
    let made = CKRecordZone.ID(zoneName: "Made")
    state.user = "_alice"
    state.sent(to: [zone, CKRecordZone.ID(zoneName: "Never there")])
    state.has([id("a"): "Note", CKRecord.ID(recordName: "in the default zone"): "Note"])
    state.made(made, token: "1")
    state.beginDatabaseAnew()
    #expect(state.unnamedZones == [zone, made])
    state.fetched(changed: [made], deleted: [], token: "1")
    #expect(state.unnamedZones == [zone])
    state.accountChanged(to: "_bob")
    state.beginDatabaseAnew()
    #expect(state.unnamedZones.isEmpty)
  }

  private func kept(_ state: SyncState) throws -> SyncState {
    try JSONDecoder().decode(SyncState.self, from: try JSONEncoder().encode(state))
  }

  @Test func `a kept state is read as it was`() throws {
    var state = SyncState()
    let theirs = CKRecordZone.ID(zoneName: "Theirs", ownerName: "_bob")
    let new = CKRecordZone(zoneName: "New")
    new.encryptionScope = .perZone
    state.user = "_alice"
    state.hasUntrackedChanges = true
    state.add([save("a"), .deleteRecord(CKRecord.ID(recordName: "x", zoneID: theirs))])
    state.add([.saveZone(new), .deleteZone(zone)])
    state.fetched(changed: [zone, theirs], deleted: [], token: "database")
    state.fetched(zone, token: "zone", moreComing: false)
    let copy = try kept(state)
    #expect(copy == state)
    #expect(copy.unfetchedZones == [theirs])
    guard case .saveZone(let zone) = copy.databaseChanges.first else {
      Issue.record("the zone is not there")
      return
    }
    #expect(zone.encryptionScope == .perZone)
  }

  @Test func `a zone that went is forgotten with its token`() {
    var state = SyncState()
    state.fetched(changed: [zone], deleted: [], token: "1")
    state.fetched(zone, token: "zone", moreComing: true)
    #expect(state.unfetchedZones == [zone])
    state.fetched(changed: [], deleted: [zone], token: "2")
    #expect(state.zoneTokens.isEmpty && state.unfetchedZones.isEmpty)
  }

  @Test(arguments: [
    #"{"version":2}"#, #"{}"#, #"[]"#, #"{"version":"one"}"#,
    #"{"version":1,"records":[{"zone":{"zone":"","owner":"o"},"record":"a","isDeletion":false}]}"#,
    #"{"version":1,"records":[{"zone":{"zone":"Z","owner":"o"},"isDeletion":false}]}"#,
  ])
  func `a state that cannot be understood is an error`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(SyncState.self, from: Data(text.utf8))
    }
  }
}
