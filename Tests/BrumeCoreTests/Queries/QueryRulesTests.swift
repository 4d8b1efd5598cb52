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
