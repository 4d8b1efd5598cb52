import BrumeModel
import BrumePredicate
import BrumeTestKit
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct SortedThresholdsTests {
  @Test func `a value meets the thresholds below it or above it, whatever came and went`() throws {
    var random = SeededRandom(seed: 7)
    var subject = SortedThresholds()
    var model: [Int32: OrderKey] = [:]
    for node in 0..<Int32(3000) {
      let key = try #require(OrderKey(.double(Double(random.next(below: 200)))))
      subject.insert(Target(.row(node)), at: key.high, key.low)
      model[node] = key
      if node % 3 == 0, let (gone, key) = model.randomElement(using: &random) {
        let place = subject.find(key.high, key.low) { $0 == Target(.row(gone)) }
        subject.remove(at: try #require(place))
        model[gone] = nil
      }
    }
    for value in stride(from: -1.0, to: 202, by: 0.5) {
      let key = try #require(OrderKey(.double(value)))
      var (below, above): ([Target], [Target]) = ([], [])
      subject.forEach(metFromAbove: key) { below.append($0.target) }
      subject.forEach(metFromBelow: key) { above.append($0.target) }
      #expect(below.count == model.values.count { $0 <= key })
      #expect(above.count == model.values.count { $0 > key })
    }
    for (node, key) in model {
      let place = subject.find(key.high, key.low) { $0 == Target(.row(node)) }
      subject.remove(at: try #require(place))
    }
    #expect(subject.isEmpty)
  }

  @Test func `order keys have the order of the values, between integers and doubles too`() throws {
    let values: [FieldValue] = [
      .double(-.infinity), .double(-.greatestFiniteMagnitude), .double(-0x1p63), .int64(.min),
      .int64(.min + 1), .double(-1.5), .int64(-1), .double(-0.0), .int64(0), .double(0),
      .double(.leastNonzeroMagnitude), .double(0.5), .int64(1), .double(1),
      .int64(1 << 53), .double(0x1p53), .int64((1 << 53) + 1), .double(0x1p53 + 2),
      .int64(.max - 1023), .int64(.max - 1), .int64(.max), .double(0x1p63), .double(1e300),
      .double(.infinity),
    ]
    for a in values {
      for b in values {
        let (first, second) = (try #require(OrderKey(a)), try #require(OrderKey(b)))
        let found: Order =
          first < second ? .before : second < first ? .after : .same
        #expect(found == Order.of(a, b), "\(a) and \(b)")
      }
    }
    #expect(OrderKey(.double(.nan)) == nil)
  }
}
