import CloudKit
import CoreLocation
import Foundation
import Testing

@Suite struct AppHabitsTests {
  @Test func `an app's own operations start with its own settings`() {
    let save = PatientSave(recordsToSave: [CKRecord(recordType: "Note")], recordIDsToDelete: nil)
    #expect(save.savePolicy == .changedKeys && save.qualityOfService == .utility)
    #expect(save.recordsToSave?.count == 1)
    let fetch = TaggedFetch(tag: "first", of: [CKRecord.ID(recordName: "a")])
    #expect(fetch.tag == "first" && fetch.recordIDs?.count == 1)
    #expect(WholeZone(of: .default).recordZoneIDs == [.default])
  }

  @Test func `an app says itself when two places are the same`() {
    let here = CLLocationCoordinate2D(latitude: 47, longitude: 8)
    #expect(here == CLLocationCoordinate2D(latitude: 47.000001, longitude: 8))
    #expect(here != CLLocationCoordinate2D(latitude: 47.1, longitude: 8))
  }

  @Test func `records are kept in an archive of many`() throws {
    let records = ["a", "b"].map {
      CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: $0))
    }
    #expect(try kept(records).map(\.id.recordName) == ["a", "b"])
    #expect(try kept([]).isEmpty)
    let tokens = try NSKeyedArchiver.archivedData(
      withRootObject: [CKRecordZone.ID: CKServerChangeToken](), requiringSecureCoding: true)
    #expect(try keptTokens(tokens).isEmpty)
    #expect(throws: (any Error).self) { try keptTokens(Data("nonsense".utf8)) }
  }

  @Test func `account changes of one container arrive one after the other`() async {
    let container = CKContainer(identifier: "iCloud.habits")
    var changes = accountChanges(of: container).makeAsyncIterator()
    for object in [CKContainer(identifier: "iCloud.other"), container, container] {
      NotificationCenter.default.post(name: .CKAccountChanged, object: object)
    }
    #expect(await changes.next()?.object as? CKContainer === container)
    #expect(await changes.next()?.name == .CKAccountChanged)
  }

  @Test func `waiting for account changes ends with its task`() async {
    let model = await AccountModel()
    let task = Task { await model.follow(CKContainer(identifier: "iCloud.habits")) }
    task.cancel()
    await task.value
    #expect(await model.changes == 0)
  }
}
