// The same assertions through completion handlers, operations and async calls: the three ways in which
// apps ask, on one server.

import BrumeKit
import Foundation
import Testing

/// One way of asking.
enum APIStyle: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case handlers, operations, async
  var testDescription: String { rawValue }

  func save(_ record: CKRecord, _ database: CKDatabase) async throws -> CKRecord {
    switch self {
    case .handlers:
      return try await waited { done in
        database.save(record) { done(either($0, $1)) }
      }
    case .operations:
      return try await waited { done in
        let operation = CKModifyRecordsOperation(recordsToSave: [record])
        operation.modifyRecordsCompletionBlock = { saved, _, error in
          let own = (error as? CKError)?.partialErrorsByItemID?[record.recordID]
          done(either(saved?.first, own ?? error))
        }
        database.add(operation)
      }
    case .async: return try await database.save(record)
    }
  }

  func fetch(_ id: CKRecord.ID, _ database: CKDatabase) async throws -> CKRecord {
    switch self {
    case .handlers:
      return try await waited { done in
        database.fetch(withRecordID: id) { done(either($0, $1)) }
      }
    case .operations:
      return try await waited { done in
        let operation = CKFetchRecordsOperation(recordIDs: [id])
        operation.perRecordResultBlock = { _, result in done(result) }
        database.add(operation)
      }
    case .async: return try await database.record(for: id)
    }
  }

  func delete(_ id: CKRecord.ID, _ database: CKDatabase) async throws -> CKRecord.ID {
    switch self {
    case .handlers:
      return try await waited { done in
        database.delete(withRecordID: id) { done(either($0, $1)) }
      }
    case .operations:
      return try await waited { done in
        let operation = CKModifyRecordsOperation(recordIDsToDelete: [id])
        operation.perRecordDeleteBlock = { id, result in done(result.map { id }) }
        database.add(operation)
      }
    case .async: return try await database.deleteRecord(withID: id)
    }
  }

  func find(_ query: CKQuery, in zone: CKRecordZone.ID, _ database: CKDatabase) async throws
    -> [String]
  {
    switch self {
    case .handlers:
      return try await waited { done in
        database.fetch(withQuery: query, inZoneWith: zone) { result in
          done(result.map { page in page.matchResults.map(\.0.recordName) })
        }
      }
    case .operations:
      return try await waited { done in
        let operation = CKQueryOperation(query: query)
        operation.zoneID = zone
        var names: [String] = []
        operation.recordMatchedBlock = { id, _ in names.append(id.recordName) }
        operation.queryResultBlock = { result in done(result.map { _ in names }) }
        database.add(operation)
      }
    case .async:
      return try await database.records(matching: query, inZoneWith: zone).matchResults
        .map(\.0.recordName)
    }
  }

  /// The names that changed, and whether there is more.
  func changes(
    _ zone: CKRecordZone.ID, _ token: CKServerChangeToken?, _ database: CKDatabase
  ) async throws -> (names: [String], token: CKServerChangeToken, more: Bool) {
    switch self {
    case .handlers:
      return try await waited { done in
        database.fetchRecordZoneChanges(inZoneWith: zone, since: token, resultsLimit: 2) { result in
          done(
            result.map { page in
              (
                names(page.modificationResultsByID, page.deletions), page.changeToken,
                page.moreComing
              )
            })
        }
      }
    case .operations:
      return try await waited { done in
        let operation = CKFetchRecordZoneChangesOperation(
          recordZoneIDs: [zone],
          configurationsByRecordZoneID: [
            zone: .init(previousServerChangeToken: token, resultsLimit: 2)
          ])
        operation.fetchAllChanges = false
        var names: [String] = []
        operation.recordWasChangedBlock = { id, _ in names.append("+\(id.recordName)") }
        operation.recordWithIDWasDeletedBlock = { id, _ in names.append("-\(id.recordName)") }
        operation.recordZoneFetchResultBlock = { _, result in
          done(result.map { (names.sorted(), $0.serverChangeToken, $0.moreComing) })
        }
        database.add(operation)
      }
    case .async:
      let page = try await database.recordZoneChanges(
        inZoneWith: zone, since: token, resultsLimit: 2)
      return (
        names(page.modificationResultsByID, page.deletions), page.changeToken, page.moreComing
      )
    }
  }
}

private func names(
  _ changed: [CKRecord.ID: Result<CKDatabase.RecordZoneChange.Modification, any Error>],
  _ deleted: [CKDatabase.RecordZoneChange.Deletion]
) -> [String] {
  (changed.keys.map { "+\($0.recordName)" } + deleted.map { "-\($0.recordID.recordName)" }).sorted()
}

@Suite(.timeLimit(.minutes(10)))
struct APIStyleTests {
  @Test(arguments: APIStyle.allCases)
  func `a record is saved, fetched, found, changed and deleted`(_ style: APIStyle) async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let (database, zone) = (phone.database, CKRecordZone.ID.named("Z"))
      let saved = try await style.save(phone.record("a", ["title": "one"]), database)
      #expect(saved.recordChangeTag != nil && saved.changedKeys().isEmpty)
      _ = try await style.save(phone.record("b", ["title": "two"]), database)
      let fetched = try await style.fetch(.named("a"), laptop.database)
      #expect(fetched["title"] == "one" && fetched.recordChangeTag == saved.recordChangeTag)
      let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == %@", "two"))
      #expect(try await style.find(query, in: zone, database) == ["b"])

      let first = try await style.changes(zone, nil, database)
      #expect(first.names == ["+a", "+b"])
      #expect(try await style.delete(.named("a"), database) == .named("a"))
      _ = try await style.save(phone.record("c"), database)
      _ = try await style.save(phone.record("d"), database)
      let second = try await style.changes(zone, first.token, laptop.database)
      #expect(second.more && second.names.count == 2)
      let third = try await style.changes(zone, second.token, laptop.database)
      #expect(!third.more && (second.names + third.names).sorted() == ["+c", "+d", "-a"])
    }
  }

  @Test(arguments: APIStyle.allCases)
  func `a conflict carries all three records, whichever way was asked`(_ style: APIStyle)
    async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let (phone, laptop) = try await fixture.pair()
      let mine = try await style.save(phone.record("a", ["title": "first"]), phone.database)
      let theirs = try await style.fetch(.named("a"), laptop.database)
      theirs["title"] = "laptop"
      _ = try await style.save(theirs, laptop.database)
      mine["title"] = "phone"
      let error = try await failure { _ = try await style.save(mine, phone.database) }
      #expect(error.code == .serverRecordChanged)
      #expect(error.serverRecord?["title"] == "laptop")
      #expect(error.clientRecord?["title"] == "phone")
      #expect(error.ancestorRecord?.recordID == mine.recordID)
      let server = try #require(error.serverRecord)
      server["title"] = "merged"
      _ = try await style.save(server, phone.database)
      #expect(try await style.fetch(.named("a"), laptop.database)["title"] == "merged")
    }
  }

  @Test(arguments: APIStyle.allCases)
  func `what does not exist is unknownItem, a zone that does not is zoneNotFound`(
    _ style: APIStyle
  ) async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let phone = try await fixture.pair().phone
      let missing = try await failure { _ = try await style.fetch(.named("ghost"), phone.database) }
      #expect(missing.code == .unknownItem)
      let nowhere = try await failure {
        _ = try await style.save(phone.record("a", zone: "Nowhere"), phone.database)
      }
      #expect(nowhere.code == .zoneNotFound)
      let changes = try await failure {
        _ = try await style.changes(.named("Nowhere"), nil, phone.database)
      }
      #expect(changes.code == .zoneNotFound)
    }
  }

  @Test func `DEL-11 a tree is deleted in one batch, in whatever order it is named`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let phone = try await fixture.pair().phone
      let (root, child, leaf) = (phone.record("root"), phone.record("child"), phone.record("leaf"))
      child.setParent(root)
      leaf.setParent(child)
      let all = [root, child, leaf]
      _ = try await phone.database.modifyRecords(saving: all, deleting: [])
      for ids in [[0, 1, 2], [2, 1, 0], [1, 0, 2]].map({ $0.map { all[$0].recordID } }) {
        let results = try await phone.database.modifyRecords(saving: [], deleting: ids)
        #expect(results.deleteResults.values.allSatisfy { $0.failure == nil })
        _ = try await phone.database.modifyRecords(
          saving: [root, child, leaf].map { old in
            let new = phone.record(old.recordID.recordName)
            new.parent = old.parent
            return new
          }, deleting: [])
      }
    }
  }
}
