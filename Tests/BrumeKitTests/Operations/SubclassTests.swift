import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct SubclassTests {
  /// Decides in `main` what it saves, as apps that work with queues do.
  // Sendable because everything is set before it is used.
  final class LateSave: CKModifyRecordsOperation, @unchecked Sendable {
    let journal: Journal

    init(_ journal: Journal) {
      self.journal = journal
      super.init()
    }

    override func main() {
      journal.note("main")
      recordsToSave = [
        CKRecord(
          recordType: "Note",
          recordID: CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Notes")))
      ]
      modifyRecordsResultBlock = { [journal] in journal.note(outcome($0)) }
      super.main()
      super.main()
    }
  }

  @Test func `what a subclass prepares in main is done, once`() async {
    let server = ScriptedServer { _, _ in
      Wire.records([.success(.saved(stored("a")))], RecordOptions())
    }
    let journal = Journal()
    let operation = LateSave(journal)
    operation.database = server.container.privateCloudDatabase
    await finish(operation)
    #expect(journal.all == ["main", "ok"])
    #expect(server.requests.count == 1)
    #expect(operation.isFinished)
  }

  @Test func `a subclass that was cancelled before it started does not come to main`() async {
    let server = ScriptedServer { _, _ in [] }
    let journal = Journal()
    let operation = LateSave(journal)
    operation.database = server.container.privateCloudDatabase
    operation.modifyRecordsResultBlock = { journal.note(outcome($0)) }
    operation.cancel()
    await finish(operation)
    #expect(journal.all == ["operationCancelled"])
    #expect(server.requests.isEmpty)
  }

  @Test func `main without start does nothing`() {
    let server = ScriptedServer { _, _ in [] }
    let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    operation.database = server.container.privateCloudDatabase
    operation.main()
    #expect(!operation.isExecuting && !operation.isFinished)
    #expect(server.requests.isEmpty)
  }
}
