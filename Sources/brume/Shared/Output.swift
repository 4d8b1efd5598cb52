// Data goes to standard output, talk to standard error, both at once and unbuffered.

import BrumeModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum Output {
  /// One line of data.
  static func line(_ text: String) { write(text, to: STDOUT_FILENO) }

  static func line(_ bytes: [UInt8]) {
    write(String(decoding: bytes, as: UTF8.self), to: STDOUT_FILENO)
  }

  /// One line of talk.
  static func say(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Talk in place of the terminal's last line.
  static func sayOver(_ text: String) { write("\r\u{1b}[K\(text)", to: STDERR_FILENO, end: "") }

  /// Columns, as wide as their widest cell, and as given. Answers their widths.
  @discardableResult static func table(_ rows: [[String]], atLeast least: [Int] = []) -> [Int] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      let widest = rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
      return max(widest, column < least.count ? least[column] : 0)
    }
    for row in rows {
      let cells = row.enumerated().map { index, cell in
        index == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
      }
      line(cells.joined(separator: "  "))
    }
    return widths
  }

  private static func write(_ text: String, to descriptor: Int32, end: String = "\n") {
    var rest = Array((text + end).utf8)[...]
    while !rest.isEmpty {
      #if canImport(Darwin)
        let count = rest.withUnsafeBytes { Darwin.write(descriptor, $0.baseAddress, $0.count) }
      #else
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      #endif
      // A reader that has gone needs nothing more.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}

/// What a command says when a rule of the server's is broken.
extension BrumeError: CustomStringConvertible {
  package var description: String { reason }
}

/// A failure with one sentence and the next thing to try.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String
  /// What the command ends with; nil: 1, the server's rules refused it.
  let status: ExitStatus?
  init(_ description: String, _ status: ExitStatus? = nil) {
    self.description = description
    self.status = status
  }
}
