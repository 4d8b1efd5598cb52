// Faults on purpose, to see that a search finds them: each is behind what chance alone does not guess. `replay` reads
// no more than the entries that lead up to them.

extension Target {
  static let planted = [
    Target("planted-trap", longest: 64) { bytes in
      // Each byte is a step of its own, so that one that is right leads to the next; all of them at once are one in 2^32.
      guard bytes.count > 3, bytes[0] == UInt8(ascii: "t") else { return }
      guard bytes[1] == UInt8(ascii: "r") else { return }
      guard bytes[2] == UInt8(ascii: "a") else { return }
      if bytes[3] == UInt8(ascii: "p") { fatalError("planted") }
    },
    Target("planted-hang", longest: 16) { bytes in
      while bytes.starts(with: Array("{[".utf8)) {}
    },
    Target("planted-growth", longest: 16) { bytes in
      if bytes.first == UInt8(ascii: "{") {
        grown.append([UInt8](repeating: 1, count: 1 << 20))
      }
    },
  ]

  nonisolated(unsafe) private static var grown: [[UInt8]] = []
}
