import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

struct DatabaseCallTests {
  private static func saved(_ name: String, tag: String) -> String {
    let zone = ZoneID(name: "_defaultZone", ownerName: "_1")
    let record = Record(
      name: name, zone: zone, type: "Note", changeTag: tag,
      fields: ["title": .string("from server")])
    let stored = StoredRecord(name: name, type: "Note", sequence: 1, content: .value(record))
    return String(decoding: Wire.records([.success(.saved(stored))]), as: UTF8.self)
  }
  private static func failed(_ name: String, _ error: BrumeError) -> String {
    let id = RecordID(name: name, zone: ZoneID(name: "_defaultZone"))
    return String(decoding: Wire.records([.failure(ItemFailure(id, error))]), as: UTF8.self)
  }

  @Test func `a save updates the record that was given and hands it back`() async throws {
    let server = AnsweringServer { _ in (200, Self.saved("a", tag: "1")) }
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record["title"] = "mine"
    let back = try await server.container().privateCloudDatabase.save(record)
    #expect(back === record)
    #expect(record.recordChangeTag == "1")
    #expect(record.changedKeys().isEmpty)
    #expect(record["title"] == "from server")
    #expect(server.paths == ["/private/records/modify"])
    #expect(server.bodies[0].contains(#""operationType":"create""#))
  }

  @Test func `a save can be had with a handler`() async throws {
    let server = AnsweringServer { _ in (200, Self.saved("a", tag: "1")) }
    let database = server.container().privateCloudDatabase
    let tag: String? = await withCheckedContinuation { continuation in
      let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
      database.save(record) { record, _ in continuation.resume(returning: record?.recordChangeTag) }
    }
    #expect(tag == "1")
  }

  @Test func `an item's failure is the failure of a call for one item`() async throws {
    let server = AnsweringServer { _ in (200, Self.failed("a", BrumeError(.notFound, "no 'a'"))) }
    let database = server.container().privateCloudDatabase
    do {
      try await database.record(for: CKRecord.ID(recordName: "a"))
      Issue.record("found")
    } catch let error as CKError where error.code == .unknownItem {
      #expect(error.localizedDescription == "no 'a'")
    }
  }

  @Test func `a conflict names the records`() async throws {
    var conflict = BrumeError(.conflict, "changed")
    conflict.serverRecord = Record(
      name: "a", zone: ZoneID(name: "_defaultZone"), type: "Note", changeTag: "9")
    let answer = Self.failed("a", conflict)
    let server = AnsweringServer { _ in (200, answer) }
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    let error = await #expect(throws: CKError.self) {
      _ = try await server.container().privateCloudDatabase.save(record)
    }
    #expect(error?.serverRecord?.recordChangeTag == "9")
    #expect(error?.clientRecord === record)
  }

  @Test func `many items have results of their own`() async throws {
    let server = AnsweringServer { _ in (200, Self.failed("a", BrumeError(.notFound, "no"))) }
    let id = CKRecord.ID(recordName: "a")
    let results = try await server.container().privateCloudDatabase.records(for: [id])
    #expect(throws: CKError.self) { try results[id]?.get() }
  }

  @Test func `a failure of the request is thrown`() async throws {
    let server = AnsweringServer { _ in
      (503, #"{"serverErrorCode":"TRY_AGAIN_LATER","reason":"busy","retryAfter":3}"#)
    }
    let error = await #expect(throws: CKError.self) {
      _ = try await server.container().privateCloudDatabase.modifyRecords(
        saving: [CKRecord(recordType: "Note")], deleting: [])
    }
    #expect(error?.code == .serviceUnavailable)
    #expect(error?.retryAfterSeconds == 3)
  }

  @Test func `more than 400 items are refused before anything is sent`() async throws {
    let server = AnsweringServer { _ in (500, "") }
    let records = (0..<401).map { _ in CKRecord(recordType: "Note") }
    let error = await #expect(throws: CKError.self) {
      _ = try await server.container().privateCloudDatabase.modifyRecords(
        saving: records, deleting: [])
    }
    #expect(error?.code == .limitExceeded)
    #expect(server.paths.isEmpty)
  }

  @Test func `a subscription without notificationInfo is refused before anything is sent`()
    async throws
  {
    let server = AnsweringServer { _ in (500, "") }
    let subscription = CKDatabaseSubscription(subscriptionID: "all")
    let error = await #expect(throws: CKError.self) {
      _ = try await server.container().privateCloudDatabase.save(subscription)
    }
    #expect(error?.code == .invalidArguments)
    #expect(error?.localizedDescription.contains("notificationInfo") == true)
    #expect(server.paths.isEmpty)
  }

  @Test func `a predicate that is not supported is refused before anything is sent`() async throws {
    let server = AnsweringServer { _ in (500, "") }
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "a == 1 OR b == 1"))
    let error = await #expect(throws: CKError.self) {
      _ = try await server.container().privateCloudDatabase.records(matching: query)
    }
    #expect(error?.code == .invalidArguments)
    #expect(server.paths.isEmpty)
  }

  @Test func `zones are listed in the words of the user`() async throws {
    let states = [
      ZoneState(zone: ZoneID(name: "_defaultZone", ownerName: "_1"), isAtomic: false),
      ZoneState(zone: ZoneID(name: "Notes", ownerName: "_1"), token: "t", isAtomic: true),
    ]
    let body = String(decoding: Wire.zones(states), as: UTF8.self)
    let server = AnsweringServer { _ in (200, body) }
    let zones = try await server.container().privateCloudDatabase.allRecordZones()
    #expect(zones.map(\.zoneID) == [.default, CKRecordZone.ID(zoneName: "Notes")])
    #expect(zones.map { $0.capabilities.contains(.atomic) } == [false, true])
  }

  @Test func `settings of configuredWith hold inside its body`() async throws {
    let server = AnsweringServer { _ in (200, Self.saved("a", tag: "1")) }
    let configuration = CKOperation.Configuration()
    configuration.qualityOfService = .utility
    let database = server.container().privateCloudDatabase
    let record = try await database.configuredWith(configuration: configuration) { inner in
      #expect(inner.defaults.configuration?.qualityOfService == .utility)
      return try await inner.record(for: CKRecord.ID(recordName: "a"))
    }
    #expect(record.recordChangeTag == "1")
  }

  @Test func `a cancelled task cancels its operation`() async throws {
    let server = AnsweringServer { _ in throw CancellationError() }
    let database = server.container().privateCloudDatabase
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await database.record(for: CKRecord.ID(recordName: "a"))
    }
    let error = await #expect(throws: CKError.self) { try await task.value }
    #expect(error?.code == .operationCancelled)
  }
}
