import BrumeTestKit
import Testing

@testable import BrumeCore

struct SortedThresholdsTests {
  @Test func `a value meets the thresholds below it or above it, whatever came and went`() {
    var random = SeededRandom(seed: 7)
    var subject = SortedThresholds()
    var model: [Int32: Double] = [:]
    for node in 0..<Int32(3000) {
      let threshold = Double(Int.random(in: 0..<200, using: &random))
      subject.insert(node, at: .number(threshold))
      model[node] = threshold
      if node % 3 == 0, let (gone, value) = model.randomElement(using: &random) {
        subject.remove(gone, at: .number(value))
        model[gone] = nil
      }
    }
    for value in stride(from: -1.0, to: 202, by: 0.5) {
      var (below, above): (Set<Int32>, Set<Int32>) = ([], [])
      subject.forEach(atMost: .number(value)) { below.insert($0) }
      subject.forEach(atLeast: .number(value)) { above.insert($0) }
      #expect(below == Set(model.filter { $0.value <= value }.keys))
      #expect(above == Set(model.filter { $0.value >= value }.keys))
    }
    for (node, threshold) in model { subject.remove(node, at: .number(threshold)) }
    #expect(subject.isEmpty)
  }
}
