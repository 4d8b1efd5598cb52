// The checksum itself: what it notices, and that it stays what stored rows were made with.

import BrumeStorage
import Testing

@Suite struct RowSumTests {
  private func sum(_ values: [UInt8]...) -> Int64 {
    var sum = RowSum()
    for value in values { sum.add(value) }
    return sum.value
  }

  @Test(arguments: [1, 7, 8, 9, 16, 40])
  func `every flipped bit of a value changes the sum`(length: Int) {
    let value = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    var sums: Set<Int64> = [sum(value)]
    for bit in 0..<(8 * length) {
      var flipped = value
      flipped[bit / 8] ^= 1 << (bit % 8)
      sums.insert(sum(flipped))
    }
    #expect(sums.count == 8 * length + 1)
  }

  @Test func `bytes that pass from one value to the next change the sum`() {
    #expect(
      Set([
        sum([1, 2], [3]), sum([1], [2, 3]), sum([1, 2, 3], []), sum([], [1, 2, 3]),
        sum([1, 2, 3]),
      ]).count == 5)
    #expect(sum([0]) != sum([0, 0]) && sum([0]) != sum([]))
  }

  @Test func `values of different kinds have different sums`() {
    var (text, bytes, number, null) = (RowSum(), RowSum(), RowSum(), RowSum())
    text.add("")
    bytes.add([])
    number.add(Int64(0))
    null.addNull()
    #expect(Set([text.value, bytes.value, number.value, null.value]).count == 4)
  }

  /// Whoever changes the sum makes every stored row a damaged one.
  @Test func `the sum of a row is what it always was`() {
    var sum = RowSum()
    sum.add(Int64(7))
    sum.add("Trail")
    sum.addNull()
    sum.add(Array("0123456789".utf8))
    sum.add(1.5)
    #expect(sum.value == 5_855_021_754_388_117_085)
  }
}
