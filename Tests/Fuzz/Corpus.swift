// The corpus of a target as a file that can be read and compared: an entry a line. Bytes that are no visible ASCII,
// and '%', are written as in a URL. A line that begins with '#' says where the entries below it come from.

import Foundation

struct Corpus {
  struct Unreadable: Error, CustomStringConvertible { let description: String }
  /// With the numbers of their lines.
  private(set) var entries: [(line: Int, bytes: [UInt8])] = []

  init(path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw Unreadable(description: "no corpus at \(path)")
    }
    for (index, line) in data.split(separator: UInt8(ascii: "\n")).enumerated()
    where line.first != UInt8(ascii: "#") {
      guard let bytes = Self.bytes(String(decoding: line, as: UTF8.self)) else {
        throw Unreadable(
          description: "\(path), entry \(index + 1), has a '%' without two hex digits")
      }
      entries.append((index + 1, bytes))
    }
  }

  /// An entry as a line.
  static func line(_ bytes: [UInt8]) -> String {
    bytes.enumerated().map { index, byte in
      let isPlain =
        (0x20...0x7e).contains(byte) && byte != UInt8(ascii: "%")
        && !(byte == UInt8(ascii: "#") && index == 0)
        && !(byte == UInt8(ascii: " ") && index == bytes.count - 1)
      return isPlain ? String(UnicodeScalar(byte)) : String(format: "%%%02x", byte)
    }.joined()
  }

  /// The entry that a line is; nil: it has a '%' without two hex digits.
  static func bytes(_ line: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(line.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
