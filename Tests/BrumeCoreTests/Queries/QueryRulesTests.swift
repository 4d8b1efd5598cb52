// What a query may ask of a field, against what the evaluator can answer.

import BrumeCore
import BrumeModel
import BrumePredicate
import BrumeSchema
import Testing

struct QueryRulesTests {
  private static let samples: [FieldValue] = [
    .string("a"), .int64(1), .double(1.5), .timestamp(1),
    .location(Location(latitude: 1, longitude: 2)), .reference(Reference(recordName: "a")),
  ]

  /// The condition as engines get it; nil if the field's type does not allow it.
  private func checked(
    _ comparator: Comparator, _ constant: FieldValue, on type: FieldType
  ) -> Filter? {
    let schema = Schema(recordTypes: ["Hike": .justInTime(["f": .justInTime(type)])])
    let filter = Filter(comparator, .field("f"), constant, distance: 5)
    let query = try? QueryRules.checked(
      Query(recordType: "Hike", filters: [filter]), schema: schema,
      in: TestContainer.development, limits: .apple)
    return query?.filters.first
  }

  private func refusal(_ query: Query, on type: FieldType = .location) -> String? {
    let schema = Schema(recordTypes: ["Hike": .justInTime(["f": .justInTime(type)])])
    do throws(BrumeError) {
      _ = try QueryRules.checked(
        query, schema: schema, in: TestContainer.development, limits: .apple)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test(arguments: [
    Location(latitude: 90.5, longitude: 0), Location(latitude: 0, longitude: -180.5),
    Location(latitude: .nan, longitude: 0),
  ])
  func `a place off the globe is refused in conditions and sorts:`(place: Location) {
    let near = Filter(.near, .field("f"), .location(place), distance: 5)
    let sort = Sort(.field("f"), relativeLocation: place)
    for query in [
      Query(recordType: "Hike", filters: [near]), Query(recordType: "Hike", sorts: [sort]),
    ] { #expect(refusal(query)?.contains("latitude is -90…90") == true) }
  }

  @Test(arguments: [SystemField.parent, .share])
  func `a sort that no index can help names no command:`(field: SystemField) {
    let query = Query(recordType: "Hike", sorts: [Sort(.system(field))])
    let reason = refusal(query)
    #expect(
      reason == "records cannot be sorted by '\(query.sorts[0].field)'; sort by another field")
    let schema = Schema(recordTypes: ["Hike": .justInTime()])
    #expect(QueryRules.missingIndexes(of: query, in: schema) == [])
  }

  @Test(arguments: [
    (FieldValue.double(2.5), "got DOUBLE"), (.string("2"), "got STRING"),
    (.double(9_223_372_036_854_775_808), "got a number beyond 64 bits"),
    (.list([], of: nil), "got an empty list"),
  ])
  func `a condition's value of another type is refused with both types and the field`(
    value: FieldValue, got: String
  ) {
    let filter = Filter(.lessThan, .field("f"), value)
    let reason = refusal(Query(recordType: "Hike", filters: [filter]), on: .int64)
    #expect(
      reason
        == "Invalid value, expected type INT64: the condition LESS_THAN on 'f' of 'Hike' \(got); "
        + "send that type")
  }

  @Test func `a query for shares says what makes it work`() {
    let reason = refusal(Query(recordType: Record.shareType))
    #expect(reason?.contains("brume schema import") == true)
  }

  @Test(arguments: [
    (FieldValue.string("zz"), FieldValue.reference(Reference(recordName: "zz"))),
    (
      .list([.string("a"), .string("b")], of: .string),
      .list(
        [.reference(Reference(recordName: "a")), .reference(Reference(recordName: "b"))],
        of: .reference)
    ),
  ])
  func `a record's name is a reference to it, so that conditions with one meaning are one`(
    text: FieldValue, reference: FieldValue
  ) throws {
    let comparator: Comparator = text.type == .string ? .equals : .in
    let named = try #require(checked(comparator, text, on: .reference))
    #expect(named.value == reference)
    #expect(
      Canonical.key([named])
        == Canonical.key([try #require(checked(comparator, reference, on: .reference))]))
  }

  /// The table of what may be asked and the evaluator agree: what nobody could answer is refused.
  @Test(arguments: Comparator.allCases)
  func `a condition that may be asked is answered yes or no`(comparator: Comparator) {
    var asked = 0
    for sample in Self.samples {
      guard let type = sample.type else { continue }
      for (field, value) in [(type, sample), (.list(type), .list([sample], of: type))] {
        let record = Record(
          name: "h1", zone: ZoneID(name: "Trails"), type: "Hike", fields: ["f": value])
        for constant in [sample, .list([sample], of: type)] {
          guard let filter = checked(comparator, constant, on: field) else { continue }
          asked += 1
          let answer = Evaluate.answer(filter, record, searchable: { _ in true })
          #expect(answer != nil, "\(comparator.rawValue) on \(field.wireName)")
        }
      }
    }
    #expect(asked > 0, "no type allows \(comparator.rawValue)")
  }
}
