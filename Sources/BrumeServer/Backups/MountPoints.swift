// What is mounted somewhere in the system's tree of files: it cannot be moved, also where it is of the same disk.

/// Reads the list of what is mounted.
package enum MountPoints {
  /// The list of Linux; empty where there is none.
  package static func list() -> String {
    String(decoding: DataFolder.read("/proc/self/mountinfo") ?? [], as: UTF8.self)
  }

  /// Whether something is mounted at a path.
  ///
  /// - Parameters:
  ///   - path: from the root, without symbolic links.
  ///   - list: as `list` answers it: the fifth field of each line is a path.
  package static func has(_ path: String, _ list: String) -> Bool {
    let wanted = path.map { escapes[$0] ?? String($0) }.joined()
    return list.split(separator: "\n").contains { line in
      let parts = line.split(separator: " ", maxSplits: 5)
      return parts.count > 4 && parts[4] == wanted
    }
  }

  /// What would end a field stands there as its number.
  private static let escapes: [Character: String] = [
    " ": "\\040", "\t": "\\011", "\n": "\\012", "\\": "\\134",
  ]
}
