import BrumeTestKit
import Testing

@testable import BrumeCore

/// Counts of stored bytes, as they are kept beside the records.
@Suite struct KeptCountTests {
  @Test(arguments: [0, 7, .max, -1] as [Int64])
  func `a count comes back, in the form that stores have:`(bytes: Int64) {
    let count = KeptCount(bytes, asOf: 12)
    #expect(count.text == Array("\(bytes) 12".utf8))
    #expect(KeptCount(count.text) == count)
  }

  @Test(
    arguments: [
      "", " ", "5", "5 ", " 5", "5  6", "5 6 7", "5 6\n", "a 6", "5 b", "9223372036854775808 1",
    ])
  func `what is no count is none, so that somebody counts again:`(text: String) {
    #expect(KeptCount(Array(text.utf8)) == nil)
  }

  @Test func `any bytes are a count or none`() {
    var random = SeededRandom(seed: 9)
    let bytes: [UInt8] = Array("0123 -+".utf8) + [0, 0xff]
    for _ in 0..<5000 {
      let text = (0..<random.next(below: 8)).map { _ in bytes[random.next(below: bytes.count)] }
      if let count = KeptCount(text) { #expect(KeptCount(count.text) == count) }
    }
  }
}
