// Where and in which order an operation calls its blocks (Apple: CKModifyRecordsOperation and the
// pages of the other operations).

import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

@Suite struct BlockTests {
  private static let zone = CKRecordZone.ID(zoneName: "Notes")

  private static func ids(_ names: String...) -> [CKRecord.ID] {
    names.map { CKRecord.ID(recordName: $0, zoneID: zone) }
  }

  private static func answer(_ names: String...) -> [UInt8] {
    Wire.records(names.map { .success(.saved(stored($0))) }, RecordOptions())
  }

  /// Notes where blocks are called, and whether one came while another was busy.
  private final class Places: Sendable {
    private struct State {
      var busy = 0
      var calls = 0
      var overlaps = 0
      var onMain = 0
    }
    private let state = Mutex(State())

    func call() {
      let isMain = Thread.isMainThread
      state.withLock {
        $0.calls += 1
        $0.overlaps += $0.busy
        $0.busy += 1
        $0.onMain += isMain ? 1 : 0
      }
      // Long enough for another thread to get in, if any may.
      for _ in 0..<1000 { state.withLock { $0.calls += 0 } }
      state.withLock { $0.busy -= 1 }
    }

    var summary: String {
      state.withLock { "\($0.calls) calls, \($0.overlaps) at once, \($0.onMain) on main" }
    }
  }

  @Test func `the blocks of an operation come one at a time and never on the main thread`() async {
    let server = ScriptedServer { _, _ in Self.answer("a", "b", "c") }
    let places = Places()
    let operation = CKModifyRecordsOperation(
      recordsToSave: Self.ids("a", "b", "c").map { CKRecord(recordType: "Note", recordID: $0) })
    operation.database = server.container.privateCloudDatabase
    operation.perRecordProgressBlock = { _, _ in places.call() }
    operation.perRecordSaveBlock = { _, _ in places.call() }
    operation.modifyRecordsResultBlock = { _ in places.call() }
    await finish(operation)
    #expect(places.summary == "7 calls, 0 at once, 0 on main")
  }

  @Test func `handlers of calls do not come on the main thread either`() async {
    let server = ScriptedServer { _, _ in Self.answer("a") }
    let container = server.container
    let places = Places()
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      container.privateCloudDatabase.fetch(withRecordID: Self.ids("a")[0]) { _, _ in
        places.call()
        done.resume()
      }
    }
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      container.fetchUserRecordID { _, _ in
        places.call()
        done.resume()
      }
    }
    #expect(places.summary == "2 calls, 0 at once, 0 on main")
  }

  /// The container's calls about the account and long-lived operations, each with a handler that says it was called.
  @available(*, deprecated, message: "tests what is deprecated")
  private static let handled: [(name: String, call: Handled)] = [
    ("user", { container, end in container.fetchUserRecordID { _, _ in end() } }),
    ("status", { container, end in container.accountStatus { _, _ in end() } }),
    (
      "permission",
      { container, end in
        container.status(forApplicationPermission: .userDiscoverability) { _, _ in end() }
      }
    ),
    ("list", { container, end in container.fetchAllLongLivedOperationIDs { _, _ in end() } }),
    ("one", { container, end in container.fetchLongLivedOperation(withID: "x") { _, _ in end() } }),
  ]
  private typealias Handled = @Sendable (CKContainer, @escaping @Sendable () -> Void) -> Void

  @available(*, deprecated, message: "tests what is deprecated")
  @Test(arguments: 0..<5)
  func `a handler of the container's calls may wait for other calls`(_ index: Int) async {
    let server = ScriptedServer { _, _ in Self.answer("a") }
    let (container, id) = (server.container, Self.ids("a")[0])
    let database = container.privateCloudDatabase
    let (name, call) = Self.handled[index]
    /// Begins a call and holds the thread until its handler is called: false if that hangs.
    @Sendable func waits(_ begin: (@escaping @Sendable () -> Void) -> Void) -> Bool {
      let ended = DispatchSemaphore(value: 0)
      begin { ended.signal() }
      return ended.wait(timeout: .now() + 20) == .success
    }
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
        group.addTask {
          await withCheckedContinuation { done in
            call(container) {
              let isFetched = waits { end in database.fetch(withRecordID: id) { _, _ in end() } }
              done.resume(returning: isFetched && waits { call(container, $0) })
            }
          }
        }
      }
      for await isDone in group { #expect(isDone, "\(name)") }
    }
  }

  @Test func `a fetch reports progress, then each record, then the result, then that it is done`()
    async
  {
    let server = ScriptedServer { _, _ in Self.answer("a", "b") }
    let journal = Journal()
    let operation = CKFetchRecordsOperation(recordIDs: Self.ids("a", "b"))
    operation.database = server.container.privateCloudDatabase
    operation.perRecordProgressBlock = { journal.note("progress \($0.recordName) \($1)") }
    operation.perRecordResultBlock = { journal.note("record \($0.recordName) \(outcome($1))") }
    operation.perRecordCompletionBlock = { _, _, _ in journal.note("never") }
    operation.fetchRecordsResultBlock = { journal.note("result \(outcome($0))") }
    operation.fetchRecordsCompletionBlock = {
      journal.note("old result \($0?.count ?? -1) \(code($1))")
    }
    let queue = OperationQueue()
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      operation.completionBlock = {
        journal.note("done")
        done.resume()
      }
      queue.addOperation(operation)
    }
    #expect(
      journal.all == [
        "progress a 1.0", "record a ok", "progress b 1.0", "record b ok", "result ok",
        "old result 2 nil", "done",
      ])
  }

  @Test func `the newer block of a query takes the place of the older one`() async {
    for isNewer in [true, false] {
      let server = ScriptedServer { _, _ in
        Wire.queryPage(
          QueryPage(records: [stored("b"), stored("a")], marker: nil), RecordOptions())
      }
      let journal = Journal()
      let operation = CKQueryOperation(
        query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
      operation.database = server.container.privateCloudDatabase
      operation.recordFetchedBlock = { journal.note("old \($0.recordID.recordName)") }
      if isNewer {
        operation.recordMatchedBlock = { id, _ in journal.note("new \(id.recordName)") }
      }
      operation.queryResultBlock = { result in
        journal.note((try? result.get()) == .some(nil) ? "end" : "more")
      }
      await finish(operation)
      let word = isNewer ? "new" : "old"
      #expect(journal.all == ["\(word) b", "\(word) a", "end"])
    }
  }
}
