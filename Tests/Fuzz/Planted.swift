// Faults on purpose, to see that a search finds them: each is behind what chance alone does not guess. `replay` reads
// no more than the entries that lead up to them.

import BrumeWire

extension Target {
  static let planted = [
    Target("planted-trap", longest: 64) { bytes in
      guard let json = try? JSON(parsing: bytes), let list = json["a"]?.array, list.count > 1 else {
        return
      }
      if list[0] == .bool(true), case .object? = list.last { fatalError("planted") }
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
