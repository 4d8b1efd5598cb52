// Dates as HTTP writes them, in the three forms that every recipient has to read (RFC 9110, section
// 5.6.7). The name of the weekday is not looked at: it adds nothing.

import BrumeModel

enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Nil if the text is no date.
  ///
  /// - Parameter now: the century of a year with two digits is the one that is not more than 50 years
  ///   ahead.
  static func milliseconds(_ text: String, now: Milliseconds) -> Milliseconds? {
    guard text.utf8.count <= 40 else { return nil }
    let words = text.split(separator: " ").map(String.init)
    switch words.count {
    // Sun, 06 Nov 1994 08:49:37 GMT
    case 6 where words[5] == "GMT" && words[0].hasSuffix(","):
      return milliseconds(words[3], words[2], words[1], words[4])
    // Sunday, 06-Nov-94 08:49:37 GMT
    case 4 where words[3] == "GMT" && words[0].hasSuffix(","):
      let parts = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 3, parts[2].utf8.count == 2 else { return nil }
      return [20, 19]
        .compactMap { milliseconds("\($0)\(parts[2])", parts[1], parts[0], words[2]) }
        .first { $0 <= now + 50 * 31_556_952_000 }
    // Sun Nov  6 08:49:37 1994
    case 5:
      let day = words[2].utf8.count == 1 ? "0\(words[2])" : words[2]
      return milliseconds(words[4], words[1], day, words[3])
    default: return nil
    }
  }

  private static func milliseconds(
    _ year: String, _ month: String, _ day: String, _ time: String
  ) -> Milliseconds? {
    guard let number = months.firstIndex(of: month) else { return nil }
    let padded = number < 9 ? "0\(number + 1)" : "\(number + 1)"
    return ISODate.milliseconds("\(year)-\(padded)-\(day)T\(time)Z")
  }
}
