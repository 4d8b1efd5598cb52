// Fetched records whose files, or whose contents, cannot be had.

import BrumeClient
import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct FetchedRecordTests {
  /// A record with an empty file.
  private static func withPhoto(_ name: String) -> StoredRecord {
    let record = Record(
      name: name, zone: ZoneID(name: "Notes", ownerName: "_me"), type: "Note", changeTag: "1",
      fields: ["photo": .asset(Asset(fileChecksum: name, size: 0))])
    return StoredRecord(name: name, type: "Note", sequence: 1, content: .value(record))
  }

  private static func container(_ server: ScriptedServer, _ folder: String) -> CKContainer {
    let settings = Configuration(
      url: "http://scripted", in: ContainerEnvironment(ContainerID("iCloud.test"), .development),
      userToken: "user", stateDirectory: folder)
    return CKContainer(
      connection: Connection(Session(settings, transport: server)), identifier: "iCloud.test")
  }

  @Test func `ACC-07 an account that goes while files are fetched ends the operation`() async {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = ScriptedServer { request, _ in
      if request.action == "file" { return [] }
      return Wire.queryPage(
        QueryPage(records: ["a", "b"].map { Self.withPhoto($0) }, marker: "more"),
        RecordOptions(downloadURL: { _ in "http://scripted/file" }))
    }
    let container = Self.container(server, folder)
    let operation = CKQueryOperation(
      query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
    operation.database = container.privateCloudDatabase
    let journal = Journal()
    operation.recordMatchedBlock = { id, result in
      journal.note("\(id.recordName) \(outcome(result))")
      Brume.signOut(of: container)
    }
    operation.queryResultBlock = { journal.note("result \(outcome($0))") }
    await finish(operation)
    #expect(journal.all == ["a ok", "result notAuthenticated"], "no cursor beyond record b")
  }

  @Test func `a query's damaged record is named in the zone that was searched`() async {
    let server = ScriptedServer { _, _ in
      let damaged = StoredRecord(
        name: "a", type: "", sequence: 0, content: .unreadable(.damaged("record 'a'")))
      return Wire.queryPage(QueryPage(records: [damaged], marker: nil), RecordOptions())
    }
    let operation = CKQueryOperation(
      query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
    operation.database = server.container.privateCloudDatabase
    operation.zoneID = CKRecordZone.ID(zoneName: "Notes")
    let journal = Journal()
    operation.recordMatchedBlock = { id, result in
      let isThere = (try? result.get()) != nil
      journal.note("\(id.recordName) \(id.zoneID.zoneName) \(id.zoneID.ownerName) \(isThere)")
    }
    await finish(operation)
    #expect(journal.all == ["a Notes __defaultOwner__ false"])
  }

  @Test func `a damaged record of a query over all zones is named in its own zone`() async {
    let server = ScriptedServer { _, _ in
      let damaged = ["Notes", "Trails"].map { zone in
        StoredRecord(
          name: "a", type: "", sequence: 0, content: .unreadable(.damaged("record 'a'")),
          zone: ZoneID(name: zone, ownerName: "_me"))
      }
      return Wire.queryPage(QueryPage(records: damaged, marker: nil), RecordOptions())
    }
    let operation = CKQueryOperation(
      query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
    operation.database = server.container.privateCloudDatabase
    let journal = Journal()
    operation.recordMatchedBlock = { id, result in
      let isThere = (try? result.get()) != nil
      journal.note("\(id.recordName) \(id.zoneID.zoneName) \(id.zoneID.ownerName) \(isThere)")
    }
    await finish(operation)
    #expect(
      journal.all == ["a Notes __defaultOwner__ false", "a Trails __defaultOwner__ false"])
  }
}
