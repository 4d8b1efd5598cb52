// Filters that are made ready for many records answer as `Evaluate` does.

import BrumeModel
import BrumePredicate
import BrumeTestKit
import Testing

struct PreparedFiltersTests {
  private static let constants: [FieldValue] = [
    .string("a"), .string("r1"), .string("e\u{301}"), .string("\u{e9}"), .int64(1), .int64(2),
    .int64(1 << 53), .double(1), .double(2.5), .double(-0.0), .double(.infinity), .double(0x1p53),
    .double(.nan), .timestamp(1), .reference(Reference(recordName: "r1")), .bytes([1]),
    .location(Location(latitude: 0, longitude: 0)),
    .location(Location(latitude: -0.0, longitude: 0)),
    .location(Location(latitude: .nan, longitude: 0)), .list([.int64(1)], of: .int64),
  ]
  private static let comparators: [Comparator] = [
    .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll,
    .containsAllTokens, .containsAnyTokens, .equals, .beginsWith, .listContains, .notListContains,
    .listMemberBeginsWith, .notListMemberBeginsWith,
  ]

  private func some(_ seeded: inout SeededRandom) -> FieldValue {
    let values = (0..<seeded.next(below: 4)).map { _ in seeded.pick(Self.constants) }
    return .list(values, of: nil)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `prepared filters answer what plain evaluation answers`(seed: UInt64) {
    var seeded = SeededRandom(seed: seed)
    for _ in 0..<4000 {
      let comparator = seeded.pick(Self.comparators)
      let filter = Filter(
        comparator, .field("f"),
        seeded.next(below: 8) == 0 ? seeded.pick(Self.constants) : some(&seeded))
      var subject = record()
      subject.fields["f"] =
        seeded.next(below: 2) == 0 ? seeded.pick(Self.constants) : some(&seeded)
      let negated = Filter(.notEquals, .field("f"), .string("zz"))
      let asked = AskedRecord(subject) { _ in true }
      for filters in [[filter], [filter, negated], []] {
        #expect(
          PreparedFilters(filters).match(asked)
            == Evaluate.matches(filters, subject, searchable: { _ in true }),
          "\(filters), \(String(describing: subject.fields["f"]))")
        #expect(
          PreparedFilters(filters).match(subject, searchable: { _ in true })
            == Evaluate.matches(filters, subject, searchable: { _ in true }),
          "\(filters), \(String(describing: subject.fields["f"]))")
      }
    }
  }

  @Test func `a record that many filters ask about answers each as it would alone`() {
    var subject = record()
    subject.fields["text"] = .string("Über den Grat, É e\u{301}")
    subject.fields["list"] = .list(["ab", "abc", "b"].map { .string($0) }, of: .string)
    subject.fields["mixed"] = .list([.int64(1), .string("a"), .double(.nan)], of: nil)
    let asked = AskedRecord(subject) { $0 == "text" }
    for field in ["text", "list", "mixed", "missing"] {
      for comparator in Self.comparators {
        for value in ["ab", "uber grat", "e", "zz", ""].map({ FieldValue.string($0) })
          + [.list([.string("b"), .int64(1)], of: nil), .list([], of: nil), .double(.nan)]
        {
          for filter in [
            Filter(comparator, .field(field), value), Filter(comparator, nil, value),
          ] where filter.field != nil || comparator == .containsAllTokens {
            #expect(
              asked.answer(filter)
                == Evaluate.answer(filter, subject, searchable: { $0 == "text" }), "\(filter)")
          }
        }
      }
    }
  }
}
