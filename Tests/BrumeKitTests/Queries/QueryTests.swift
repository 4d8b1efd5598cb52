import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

struct QueryTests {
  private func query() -> CKQuery {
    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "a == 1"))
    query.sortDescriptors = [
      NSSortDescriptor(key: "b", ascending: false),
      CKLocationSortDescriptor(key: "p", relativeLocation: CLLocation(latitude: 1, longitude: 2)),
    ]
    return query
  }

  @Test func `a query becomes what the server understands`() throws {
    let model = try query().model()
    #expect(model.recordType == "Note")
    #expect(model.filters == [Filter(.equals, .field("a"), .int64(1))])
    #expect(model.sorts.map(\.field) == [.field("b"), .field("p")])
  }

  @Test func `a query survives an archive`() throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: query(), requiringSecureCoding: true)
    let back = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuery.self, from: data))
    let (before, after) = (try query().model(), try back.model())
    #expect(after.recordType == before.recordType)
    #expect(after.filters == before.filters)
    #expect(after.sorts.map(\.field) == before.sorts.map(\.field))
    #expect(after.sorts.map(\.ascending) == [false, true])
  }

  @Test func `a copy asks the same in the same order`() throws {
    let copy = try #require(query().copy() as? CKQuery)
    #expect(try copy.model().sorts.count == 2)
    #expect(try copy.model().filters == query().model().filters)
  }

  @Test func `now() has a meaning in a query, and none in a subscription`() throws {
    let predicate = NSPredicate(format: "due < now()")
    #expect(try CKQuery(recordType: "Note", predicate: predicate).model().filters.count == 1)
    #expect(throws: CKError.self) { try predicate.filters() }
  }

  @Test func `QRY-09 a query with OR is refused, and the server is not asked`() async {
    let server = ScriptedServer { _, _ in [] }
    let either = NSCompoundPredicate(orPredicateWithSubpredicates: [
      NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2"),
    ])
    for predicate in [NSPredicate(format: "a == 1 OR b == 2"), either] {
      let operation = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: predicate))
      operation.database = server.container.privateCloudDatabase
      let journal = Journal()
      operation.queryResultBlock = { journal.note(outcome($0)) }
      operation.queryCompletionBlock = { journal.note("\($0 == nil) \(code($1))") }
      await finish(operation)
      #expect(journal.all == ["invalidArguments", "true invalidArguments"])
    }
    #expect(server.requests.isEmpty)
  }
}
