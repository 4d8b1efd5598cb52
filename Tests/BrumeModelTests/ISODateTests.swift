import BrumeModel
import Foundation
import Testing

struct ISODateTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (1_795_213_861_007, "2026-11-20T22:31:01.007Z"),
      (4_102_444_799_120, "2099-12-31T23:59:59.120Z"),
    ] as [(Milliseconds, String)])
  func `a precise text has its milliseconds, and stops nowhere`(
    _ time: Milliseconds, _ text: String
  ) {
    #expect(ISODate.preciseText(time) == text)
    for end in [Milliseconds.min, .max] { #expect(!ISODate.preciseText(end).isEmpty) }
  }

  @Test(arguments: [Int64(0), -1, 951_782_400, 1_795_213_861, 4_102_444_799])
  func `seconds read as Foundation writes them`(_ second: Int64) {
    let date = Date(timeIntervalSince1970: Double(second))
    #expect(ISODate.text(second: second) == date.formatted(.iso8601))
    #expect(ISODate.text(second * 1000) == ISODate.text(second: second))
    #expect(!ISODate.text(second: .max).isEmpty)
  }

  @Test func `milliseconds read as Foundation writes them`() {
    let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    // Eighths of a second are exact in binary.
    for eighth in Int64(0)..<8 {
      let date = Date(timeIntervalSince1970: 1_795_213_861 + Double(eighth) / 8)
      #expect(ISODate.preciseText(1_795_213_861_000 + eighth * 125) == date.formatted(form))
    }
  }
}
