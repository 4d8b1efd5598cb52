// A regular expression for texts of hundreds of kilobytes, read by Foundation's engine: in a debug build it takes a small
// part of the time of Swift's own.

import Foundation

struct Pattern: Sendable {
  private let expression: NSRegularExpression

  /// - Parameter text: as ICU has it, with word boundaries that are not Unicode's: the point of `list.shuffled` ends a word.
  init(_ text: String) {
    do {
      expression = try NSRegularExpression(pattern: text)
    } catch {
      preconditionFailure("'\(text)' is no regular expression: \(error)")
    }
  }

  /// What matches first; nil: nothing does.
  func first(in text: String) -> String? { all(in: text, most: 1).first }

  /// Everything that matches.
  func all(in text: String) -> [String] { all(in: text, most: .max) }

  private func all(in text: String, most: Int) -> [String] {
    let whole = NSRange(location: 0, length: text.utf16.count)
    let found =
      most == 1
      ? [expression.firstMatch(in: text, range: whole)].compactMap(\.self)
      : expression.matches(in: text, range: whole)
    return found.compactMap { Range($0.range, in: text).map { String(text[$0]) } }
  }
}
