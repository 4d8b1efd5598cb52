// The targets: what reads bytes. A reader may refuse whatever it likes; it may not trap, hang or grow. Where what it
// takes can be written again, it must read what was written as the same value.

/// Something that reads bytes.
struct Target: Sendable {
  let name: String
  /// Bytes of the longest input that is tried.
  let longest: Int
  let read: @Sendable ([UInt8]) -> Void

  init(_ name: String, longest: Int = 1024, _ read: @escaping @Sendable ([UInt8]) -> Void) {
    self.name = name
    self.longest = longest
    self.read = read
  }

  static let all: [Target] =
    languages + wire + texts + headers + proofs + stored + outside + archives + [requests] + planted

  static func named(_ name: String) -> Target? { all.first { $0.name == name } }
}

/// Ends the process as a trap does, with what is wrong.
func wrong(_ what: String) -> Never { fatalError(what) }

/// What a reader of texts is given: texts come from bytes that are UTF-8.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// An input of several parts: they are divided by the byte 0x1f, which no text of ours holds.
func parts(_ bytes: [UInt8], _ most: Int) -> [[UInt8]] {
  bytes.split(separator: 0x1f, maxSplits: most - 1, omittingEmptySubsequences: false).map {
    Array($0)
  }
}
