// A field that left the schema and came back with another type: records have values that do not fit.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeTestKit
import Testing

struct RetypedFieldTests {
  private static let values: [FieldValue] = [
    .string("text"), .timestamp(5), .list([.string("a")], of: .string), .list([], of: nil),
    .reference(Reference(recordName: "h0")), .bytes([1]), .double(1.5),
  ]

  /// "h1" has `value` in the field "v", which is an integer now.
  private func fixture(_ value: DraftField) async throws -> EngineFixture {
    let fixture = try await EngineFixture()
    var operation = RecordOperation.create("h1", ["km": .int64(1)])
    operation.record.fields["v"] = value
    try await fixture.save(operation)
    try await fixture.engine.schemas.replace(
      by: "DEFINE SCHEMA RECORD TYPE Hike (km INT64);", in: TestContainer.development)
    try await fixture.save(.create("h2", ["v": .int64(1)]))
    return fixture
  }

  @Test(arguments: values, [RecordOperation.Kind.update, .replace, .forceReplace])
  func `a record is saved as it was read, whatever type its field has now`(
    value: FieldValue, kind: RecordOperation.Kind
  ) async throws {
    let fixture = try await fixture(DraftField(value))
    let read = try await fixture.fetch("h1")
    #expect(read.fields["v"] != nil)
    var fields = read.fields.mapValues { Optional($0) }
    fields["km"] = .int64(2)
    try await fixture.save(.make(kind, "h1", fields, type: "Hike", tag: read.changeTag))
    let saved = try await fixture.fetch("h1")
    #expect(saved.fields["v"] == read.fields["v"] && saved.fields["km"] == .int64(2))
  }

  @Test func `an untagged value that a record has already stays what it is`() async throws {
    let fixture = try await fixture(DraftField(.timestamp(5)))
    try await fixture.engine.schemas.replace(
      by: "DEFINE SCHEMA RECORD TYPE Hike (km INT64);", in: TestContainer.development)
    try await fixture.save(.create("h3", ["v": .string("text")]))
    var operation = RecordOperation.update(try await fixture.fetch("h1"))
    operation.record.fields["v"] = DraftField(.int64(5), isTagged: false)
    #expect(try await fixture.save(operation).fields["v"] == .timestamp(5))
  }

  @Test func `a value that stays encrypted keeps no record from being saved`() async throws {
    let fixture = try await fixture(DraftField(.int64(7), isEncrypted: true))
    var operation = RecordOperation.update(try await fixture.fetch("h1"))
    operation.record.fields["v"] = DraftField(.int64(7), isEncrypted: true)
    let saved = try await fixture.save(operation)
    #expect(saved.encryptedFields == ["v"] && saved.fields["v"] == .int64(7))
    operation = .update(saved)
    operation.record.fields["v"] = DraftField(.int64(8), isEncrypted: true)
    #expect(try await fixture.failure(of: operation).reason.contains("encrypted"))
  }

  @Test func `only the value that is there stays: another of its type is refused`() async throws {
    let fixture = try await fixture(DraftField(.string("text")))
    let read = try await fixture.fetch("h1")
    let error = try await fixture.failure(of: .update(read, ["v": .string("other")]))
    #expect(error.code == .badRequest && error.reason.contains("expected type INT64"))
    let new = try await fixture.failure(of: .create("h3", ["v": .string("text")]))
    #expect(new.code == .badRequest)
    let replaced = try await fixture.save(.update(read, ["v": .int64(3)]))
    #expect(replaced.fields["v"] == .int64(3))
    let back = try await fixture.failure(of: .update(replaced, ["v": .string("text")]))
    #expect(back.code == .badRequest)
    #expect(try await fixture.save(.update(replaced, ["v": nil])).fields["v"] == nil)
  }

  @Test func `a value stays beside a refused save that would bring a field`() async throws {
    let fixture = try await fixture(DraftField(.string("text")))
    let read = try await fixture.fetch("h1")
    let results = try await fixture.modify([
      .update(read, ["v": .string("text"), "first": .int64(1)]),
      .create("h3", ["second": .int64(1)], parent: "nowhere"),
    ])
    #expect(results.codes == [nil, .validatingReferenceError])
    #expect(try await fixture.fetch("h1").fields["v"] == .string("text"))
    let hike = try await fixture.engine.schemas.current(of: TestContainer.development)
      .recordTypes["Hike"]
    #expect(hike?.fields["first"] != nil && hike?.fields["second"] == nil)
  }

  @Test func `the difference says what becomes of the values of a removed field`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["km": .int64(1)]))
    let difference = try await fixture.engine.schemas.difference(
      to: "DEFINE SCHEMA RECORD TYPE Hike ();", in: TestContainer.development)
    let step = try #require(difference.steps.first { $0.text == "remove field Hike.km" })
    #expect(step.obstacle == nil)
    #expect(step.consequence.contains("records keep the values that they have"))
    #expect(step.consequence.contains("values of another type stay until they are replaced"))
  }
}
