// Faults on purpose, to see that a search finds them: each is behind what chance alone does not guess. `replay` reads
// no more than the entries that lead up to them.

import BrumeWire

extension Target {
  static let planted = [
    Target("planted-trap", longest: 64) { bytes in
      guard let json = try? JSON(parsing: bytes), let list = json["a"]?.array else { return }
      // Each a step of its own, so that one that was taken leads to the next.
      if list.first == .bool(true) {
        if list.count > 2 { fatalError("planted") }
      }
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
