// Durations as people type and read them: 500ms, 90s, 1h30m.

import BrumeModel

enum DurationText {
  private static let units: [(name: String, milliseconds: Milliseconds)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// Nil for what is no duration, or longer than numbers go.
  static func milliseconds(_ text: String) -> Milliseconds? {
    var (sum, rest): (Milliseconds, Substring) = (0, text[...])
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      let unit = rest.prefix { $0.isASCII && $0.isLetter }
      rest = rest.dropFirst(unit.count)
      guard let number = Milliseconds(digits), let known = units.first(where: { $0.name == unit })
      else { return nil }
      let (product, isTooLong) = number.multipliedReportingOverflow(by: known.milliseconds)
      let (total, isToo) = sum.addingReportingOverflow(product)
      if isTooLong || isToo { return nil }
      sum = total
    }
    return sum
  }

  /// In its two largest units.
  static func text(_ milliseconds: Milliseconds) -> String {
    var rest = max(0, milliseconds)
    var parts: [String] = []
    for (name, size) in units where rest >= size {
      parts.append("\(rest / size)\(name)")
      rest %= size
    }
    return parts.isEmpty ? "0s" : parts.prefix(2).joined()
  }
}
