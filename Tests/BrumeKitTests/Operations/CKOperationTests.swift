import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

@Suite struct CKOperationTests {
  @Test func `own settings win over the group's, the group's over the built-in ones`() {
    let operation = CKOperation()
    #expect(operation.effective.timeoutIntervalForRequest == 60)
    #expect(operation.effective.timeoutIntervalForResource == 604_800)
    #expect(operation.effective.qualityOfService == .default)
    let group = CKOperationGroup()
    let defaults = CKOperation.Configuration()
    defaults.timeoutIntervalForRequest = 5
    defaults.qualityOfService = .utility
    group.defaultConfiguration = defaults
    operation.group = group
    operation.qualityOfService = .userInitiated
    #expect(operation.effective.timeoutIntervalForRequest == 5)
    #expect(operation.effective.qualityOfService == .userInitiated)
    #expect(operation.configuration.qualityOfService == .userInitiated)
  }

  @Test func `settings are taken as a copy, and can be changed in place afterwards`() {
    let operation = CKModifyRecordsOperation()
    let settings = CKOperation.Configuration()
    operation.configuration = settings
    settings.timeoutIntervalForRequest = 1
    #expect(operation.timeoutIntervalForRequest == 60)
    operation.configuration.timeoutIntervalForRequest = 15
    operation.configuration.isLongLived = true
    operation.configuration.qualityOfService = .utility
    #expect(operation.timeoutIntervalForRequest == 15 && operation.isLongLived)
    #expect(operation.effective.qualityOfService == .utility)
    operation.configuration = nil
    #expect(operation.configuration.timeoutIntervalForRequest == 60)

    let group = CKOperationGroup()
    group.defaultConfiguration = settings
    settings.allowsCellularAccess = false
    #expect(group.defaultConfiguration.allowsCellularAccess)
    group.defaultConfiguration.timeoutIntervalForResource = 9
    operation.group = group
    #expect(operation.effective.timeoutIntervalForResource == 9)
  }

  @Test func `blocks come in order, one at a time, and the completion block last`() async {
    let server = ScriptedServer { _, _ in
      Wire.records([.success(.saved(stored("a"))), .success(.saved(stored("b")))], RecordOptions())
    }
    let journal = Journal()
    let zone = CKRecordZone.ID(zoneName: "Notes")
    let operation = CKModifyRecordsOperation(
      recordsToSave: ["a", "b"].map {
        CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: $0, zoneID: zone))
      })
    operation.database = server.container.privateCloudDatabase
    operation.perRecordProgressBlock = { journal.note("progress \($0.recordID.recordName) \($1)") }
    operation.perRecordSaveBlock = { journal.note("save \($0.recordName) \(outcome($1))") }
    operation.perRecordCompletionBlock = { _, _ in journal.note("never") }
    operation.modifyRecordsResultBlock = { [unowned operation] result in
      journal.note("result \(outcome(result)) \(operation.isFinished)")
    }
    await finish(operation)
    #expect(operation.isFinished && !operation.isExecuting)
    #expect(
      journal.all == [
        "progress a 1.0", "save a ok", "progress b 1.0", "save b ok", "result ok false",
      ])
  }

  @Test func `an operation that was cancelled before it started ends with operationCancelled`()
    async
  {
    let server = ScriptedServer { _, _ in Wire.zones([ZoneState]()) }
    let journal = Journal()
    let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    operation.database = server.container.privateCloudDatabase
    operation.fetchRecordZonesResultBlock = { journal.note(outcome($0)) }
    operation.cancel()
    await finish(operation)
    #expect(journal.all == ["operationCancelled"])
    #expect(server.requests.isEmpty)
  }

  @Test func `cancelling stops a request that is under way`() async {
    let (started, starts) = AsyncStream<Void>.makeStream()
    let server = ScriptedServer { _, _ in
      starts.yield()
      try await Task.sleep(for: .seconds(600))
      return []
    }
    let journal = Journal()
    let operation = CKModifyBadgeOperation(badgeValue: 1)
    operation.configuration = {
      let configuration = CKOperation.Configuration()
      configuration.container = server.container
      return configuration
    }()
    operation.modifyBadgeCompletionBlock = { journal.note(code($0)) }
    async let end: Void = finish(operation)
    for await _ in started { break }
    operation.cancel()
    await end
    #expect(journal.all == ["operationCancelled"])
  }

  @Test func `a group keeps its name and its settings in an archive, not their container`() throws {
    let group = CKOperationGroup()
    group.name = "refresh"
    group.defaultConfiguration.timeoutIntervalForResource = 60
    group.defaultConfiguration.qualityOfService = .utility
    group.defaultConfiguration.container =
      ScriptedServer { _, _ in Wire.zones([ZoneState]()) }.container
    let bytes = try NSKeyedArchiver.archivedData(withRootObject: group, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKOperationGroup.self, from: bytes))
    #expect(read.operationGroupID == group.operationGroupID && read.name == "refresh")
    let settings = try #require(read.defaultConfiguration)
    #expect(settings.timeoutIntervalForResource == 60 && settings.qualityOfService == .utility)
    #expect(settings.set.timeoutIntervalForRequest == nil, "not set stays not set")
    #expect(settings.set.isLongLived == nil && settings.container == nil)
  }

  @Test func `a group's sizes are Apple's numbers and are kept`() throws {
    typealias Size = CKOperationGroup.TransferSize
    let sizes: [Size] = [
      .unknown, .kilobytes, .megabytes, .tensOfMegabytes, .hundredsOfMegabytes, .gigabytes,
      .tensOfGigabytes, .hundredsOfGigabytes,
    ]
    #expect(sizes.map(\.rawValue) == Array(0...7))
    let group = CKOperationGroup()
    #expect(group.expectedSendSize == .unknown && group.expectedReceiveSize == .unknown)
    (group.quantity, group.expectedSendSize, group.expectedReceiveSize) = (
      3, .gigabytes, .megabytes
    )
    let bytes = try NSKeyedArchiver.archivedData(withRootObject: group, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKOperationGroup.self, from: bytes))
    #expect(read.quantity == 3 && read.expectedSendSize == .gigabytes)
    #expect(read.expectedReceiveSize == .megabytes)
  }

  @Test func `dependent operations wait`() async {
    let server = ScriptedServer { _, _ in Wire.zones([ZoneState]()) }
    let journal = Journal()
    let container = server.container
    let operations = (0..<3).map { number in
      let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
      operation.database = container.privateCloudDatabase
      operation.fetchRecordZonesResultBlock = { _ in journal.note("\(number)") }
      return operation
    }
    operations[0].addDependency(operations[1])
    operations[1].addDependency(operations[2])
    let queue = OperationQueue()
    queue.addOperation(operations[0])
    queue.addOperation(operations[1])
    await finish(operations[2])
    await withCheckedContinuation { done in queue.addBarrierBlock { done.resume() } }
    #expect(journal.all == ["2", "1", "0"])
  }

  @Test func `patient operations repeat what the server was too busy for`() async {
    let server = ScriptedServer { _, number in
      guard number > 0 else { throw BrumeError(.zoneBusy, "busy") }
      return Wire.zones([ZoneState]())
    }
    let journal = Journal()
    let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    operation.database = server.container.privateCloudDatabase
    operation.qualityOfService = .utility
    operation.fetchRecordZonesResultBlock = { journal.note(outcome($0)) }
    await finish(operation)
    #expect(journal.all == ["ok"])
    #expect(server.requests.count == 2)
    #expect(server.pauses == [.seconds(2)])
  }
}
