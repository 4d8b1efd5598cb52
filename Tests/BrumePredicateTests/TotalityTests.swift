// Any text gives a predicate or an error, never a crash, and quickly.

import BrumeModel
import BrumePredicate
import BrumeTestKit
import Testing

struct TotalityTests {
  static let words = [
    "a", "b.c", "SELF", "self.allTokens", "%@", "%K", "%d", "%f", "AND", "OR", "NOT", "&&", "||",
    "!", "==", "!=", "<", "<=", "IN", "CONTAINS", "BEGINSWITH", "BETWEEN", "LIKE", "[c]", "[cd]",
    "ANY", "ALL", "NONE", "SOME", "(", ")", "{", "}", ",", "'x'", "\"y\"", "5", "-1.5", "nil",
    "TRUEPREDICATE", "FALSEPREDICATE", "now()", "tokenize('a b', 'Cdl')", "#in", "$v", ".", "+",
    "distanceToLocation:fromLocation:(start, %@)", "TOKENMATCHES[cdl]", "___parent", "recordID",
  ]
  static let arguments: [PredicateArgument] = [
    .value(.string("title")), .value(.int64(.min)), .value(.double(-.infinity)), .null,
    .value(place(90, 180)), .list([.list([.null]), .value(.bytes([0]))]), .keyPath(""),
    .keyPath("a.b"), .value(.list([.list([], of: nil)], of: nil)), .value(.timestamp(-1)),
  ]

  private func survives(_ format: String, _ seeded: inout SeededRandom) {
    let arguments = (0..<seeded.next(below: 6)).map { _ in seeded.pick(Self.arguments) }
    do throws(BrumeError) {
      let filters = try Predicate(format: format, arguments: arguments).filters(now: 5)
      _ = Evaluate.matches(filters, record(), searchable: { _ in true })
      _ = Canonical.key(filters)
    } catch {
      #expect(error.code == .badRequest)
      #expect(error.reason.utf8.count < 1000)
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `random words never crash the parser`(seed: UInt64) {
    var seeded = SeededRandom(seed: seed)
    for _ in 0..<5000 {
      let count = 1 + seeded.next(below: 12)
      survives((0..<count).map { _ in seeded.pick(Self.words) }.joined(separator: " "), &seeded)
    }
  }

  @Test(arguments: [5, 6, 7, 8] as [UInt64])
  func `random bytes never crash the parser`(seed: UInt64) {
    var seeded = SeededRandom(seed: seed)
    for _ in 0..<5000 {
      let bytes = (0..<seeded.next(below: 40)).map { _ in UInt8(truncatingIfNeeded: seeded.next()) }
      survives(String(decoding: bytes, as: UTF8.self), &seeded)
    }
  }

  @Test(arguments: [9, 10] as [UInt64])
  func `a format cut or changed anywhere never crashes the parser`(seed: UInt64) {
    var seeded = SeededRandom(seed: seed)
    let rows = SupportedTests.comparisons + SupportedTests.lists + SupportedTests.searches
    for row in rows + SupportedTests.distances {
      for _ in 0..<50 {
        var bytes = Array(row.format.utf8.prefix(seeded.next(below: row.format.utf8.count + 1)))
        if !bytes.isEmpty {
          bytes[seeded.next(below: bytes.count)] = UInt8(truncatingIfNeeded: seeded.next())
        }
        survives(String(decoding: bytes, as: UTF8.self), &seeded)
      }
    }
  }
}
