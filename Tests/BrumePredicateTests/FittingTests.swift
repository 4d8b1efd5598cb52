// A filter against its field's type.

import BrumeModel
import BrumePredicate
import Testing

struct FittingTests {
  private func fitted(
    _ comparator: Comparator, _ value: FieldValue, _ type: FieldType, distance: Double? = nil
  ) throws -> FieldValue {
    try Filter(comparator, .field("f"), value, distance: distance).fitted(to: type).value
  }

  @Test func `a constant takes the field's type where nothing is lost`() throws {
    #expect(try fitted(.equals, .int64(5), .double) == .double(5))
    #expect(try fitted(.equals, .double(5), .int64) == .int64(5))
    #expect(try fitted(.lessThan, .double(5.5), .int64) == .double(5.5))
    let odd: Int64 = 9_007_199_254_740_993
    #expect(try fitted(.lessThan, .int64(odd), .double) == .int64(odd))
    #expect(try fitted(.equals, .int64(5), .timestamp) == .timestamp(5))
    #expect(try fitted(.equals, .string("x"), .reference) == pointer("x"))
    #expect(try fitted(.in, integers(1), .double) == .list([.double(1)], of: .double))
    #expect(try fitted(.in, .list([], of: nil), .string) == texts())
    #expect(try fitted(.listContains, .int64(1), .list(.double)) == .double(1))
    #expect(try fitted(.near, place(1, 2), .location, distance: 5) == place(1, 2))
  }

  @Test(arguments: [
    (Comparator.equals, FieldValue.int64(1), FieldType.string),
    (.equals, .string("x"), .int64), (.in, integers(1), .string), (.in, .int64(1), .int64),
    (.equals, .double(1.5), .timestamp), (.equals, .timestamp(1), .int64),
    (.listContains, .int64(1), .list(.string)), (.equals, .double(.nan), .double),
    (.equals, place(91, 0), .location), (.equals, pointer("x"), .string),
  ])
  func `QRY-08 a constant of another type is refused with the type it should have`(
    row: (Comparator, FieldValue, FieldType)
  ) {
    let error = #expect(throws: BrumeError.self) { try fitted(row.0, row.1, row.2) }
    #expect(error?.reason.contains("expected type \(row.2.element.wireName)") == true)
  }

  @Test(arguments: Comparator.allCases)
  func `no comparator applies to bytes and files`(comparator: Comparator) {
    for type in [FieldType.bytes, .asset, .list(.bytes), .list(.asset)] {
      #expect(!comparator.applies(to: type))
      let error = #expect(throws: BrumeError.self) { try fitted(comparator, texts("x"), type) }
      #expect(error?.reason.contains("cannot be queried with \(comparator.rawValue)") == true)
    }
  }

  /// The table of what applies and the evaluator must agree.
  @Test(arguments: Comparator.allCases)
  func `a comparator that applies answers yes or no`(comparator: Comparator) throws {
    let samples: [FieldValue] = [
      .string("a"), .int64(1), .double(1.5), .timestamp(1), place(1, 2), pointer("a"),
    ]
    for sample in samples {
      guard let type = sample.type else { continue }
      for (field, value) in [(type, sample), (.list(type), .list([sample], of: type))] {
        let constant = comparator.takesList ? FieldValue.list([sample], of: type) : sample
        let filter = Filter(comparator, .field("f"), constant, distance: 5)
        let isAnswered = answer(filter, record(["f": value])) != nil
        #expect(isAnswered == comparator.applies(to: field))
      }
    }
  }
}
