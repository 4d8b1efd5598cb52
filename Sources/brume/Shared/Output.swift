// Data goes to standard output, talk to standard error, both at once and unbuffered. Data that cannot be written ends the
// command: what was cut must not be taken for whole. Talk that cannot be written is lost. A server waits for no reader of either:
// `ServerOutput.swift`.

import BrumeModel
import BrumeServer
import BrumeStorage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum Output {
  private static let lineEnd = UInt8(ascii: "\n")

  /// One line of data.
  static func line(_ text: String) { line(Array(text.utf8)) }

  /// A reader that has gone needs nothing more.
  static func line(_ bytes: [UInt8]) { _ = give(bytes) }

  /// One line of data. Answers whether it has a reader.
  static func give(_ bytes: [UInt8]) -> Bool {
    switch Descriptor.write((bytes + [lineEnd])[...], to: STDOUT_FILENO, waits: true).failure {
    case nil: true
    case EPIPE: false
    case .some(let number):
      Ending.end(
        StatusFailure(
          .disk,
          "the output cannot be written (\(SystemError.reason(number))), so it is not whole; what was asked "
            + "for may be done all the same"))
    }
  }

  /// One line of a server's, which goes on without it.
  static func announce(_ text: String) {
    let bytes = Array(text.utf8) + [lineEnd]
    if let server = ServerOutput.current { return server.announcements.write(bytes) }
    _ = Descriptor.write(bytes[...], to: STDOUT_FILENO, waits: true)
  }

  /// Whether somebody still reads the data. What is no pipe has a reader.
  static var hasReader: Bool {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    guard poll(&output, 1, 0) > 0 else { return true }
    return Int32(output.revents) & (Int32(POLLERR) | Int32(POLLHUP)) == 0
  }

  /// One line of talk.
  static func say(_ text: String) { talk(Array(text.utf8) + [lineEnd]) }

  /// Talk, with the ends of its lines. A server does not wait until it is read.
  static func talk(_ bytes: [UInt8]) {
    if let server = ServerOutput.current { return server.talk.write(bytes) }
    _ = Descriptor.write(bytes[...], to: STDERR_FILENO, waits: false)
  }

  /// Talk in place of the terminal's last line.
  static func replaceLine(with text: String) {
    talk(Array("\r\u{1b}[K\(text)".utf8))
  }

  /// Columns, as wide as their widest cell, and as given. Answers their widths.
  @discardableResult static func table(_ rows: [[String]], atLeast least: [Int] = []) -> [Int] {
    let count = max(rows.map(\.count).max() ?? 0, least.count)
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
