// One line about work under way, as wide as the terminal: words and, where it is known how much there is, a bar with the
// share that is done.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct ProgressLine: Sendable {
  /// What is done, of what there is.
  struct Share: Sendable {
    let done: Int64
    let all: Int64
    /// Between 0 and 100; there may be nothing at all.
    var percent: Int64 { min(100, max(0, done) * 100 / max(1, all)) }
  }
  /// Ours: a longer bar says no more, and a shorter one nothing.
  private static let bars = 10...40
  /// As wide as "100 %".
  private static let percentWidth = 5
  var words: String
  let share: Share?

  /// In the last column terminals go on to the next line, which could not be written over.
  func text(width: Int) -> String {
    let room = max(0, width - 1)
    guard let share else { return String(words.prefix(room)) }
    let end = "\(share.percent) %"
    let bar = min(Self.bars.upperBound, room - words.count - Self.percentWidth - " [] ".count)
    guard bar >= Self.bars.lowerBound else {
      return String(words.prefix(max(0, room - end.count - 1))) + " " + end
    }
    let full = Int(share.percent) * bar / 100
    return words + " [" + String(repeating: "=", count: full)
      + String(repeating: " ", count: bar - full) + "] "
      + String(repeating: " ", count: Self.percentWidth - end.count) + end
  }

  /// Columns of the terminal that standard error is; 80 if it does not say.
  static var terminalWidth: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
