// A backup on the disk, with those that it continues: each is found in the folder of the one that continues it, under
// the name that it had then, and is known by its ID.

package import BrumeCore
import BrumeStorage

/// Finds and checks the files of a backup.
package enum BackupChain {
  /// How far a check is.
  package struct Progress: Sendable {
    /// Bytes that were checked, of all files.
    package let checked: Int64
    /// Bytes of all files.
    package let all: Int64
  }
  private struct Link {
    let path: String
    let size: Int64
    let isNamed: Bool
    let header: BackupHeader
    let read: BackupFrames.Read
  }
  /// Ours: how many backups one may rest on. Each is read beside the others.
  package static let most = 100

  /// Checks all of a backup and of those that it continues, and that together they make what was backed up.
  ///
  /// - Parameter isNamed: whether errors say which file is meant; one that a server has received says nobody anything.
  /// - Returns: the backup, with a report of all its rows.
  /// - Throws: `StoreError`: `corrupt` names what is damaged or missing, `tooNew` another version.
  package static func check(
    _ path: String, isNamed: Bool = true, progress: (Progress) throws -> Void = { _ in }
  ) throws -> BackupFile {
    let links = try links(of: path, isNamed: isNamed)
    let all = links.reduce(0) { $0 + $1.size }
    var (checked, file) = (Int64(0), BackupFile?.none)
    for link in links {
      file = try check(link, after: file) {
        try progress(Progress(checked: checked + $0, all: all))
      }
      checked += link.size
    }
    guard let file else { throw StoreError(.corrupt, "the backup has no beginning") }
    if links.count > 1 { try file.survey() }
    return file
  }

  private static func check(
    _ link: Link, after earlier: BackupFile?, _ progress: (Int64) throws -> Void
  ) throws -> BackupFile? {
    let report = try naming(link.path, if: link.isNamed) {
      try BackupCheck.run(link.read, after: earlier, progress: progress)
    }
    return BackupFile(report, link.read, after: earlier)
  }

  /// Says which file is meant, where what is wrong is in the file.
  private static func naming<Value>(
    _ path: String, if isNamed: Bool, _ body: () throws -> Value
  ) throws -> Value {
    do { return try body() } catch let error as StoreError
      where isNamed && [.corrupt, .tooNew].contains(error.code)
    {
      throw StoreError(error.code, "'\(path)': \(error.description)")
    }
  }

  /// How many others a backup rests on.
  ///
  /// - Throws: `StoreError`, as `check`. Of each file only its beginning is read.
  package static func countOfEarlier(_ path: String) throws -> Int {
    try links(of: path, isNamed: true).count - 1
  }

  /// The oldest first.
  private static func links(of path: String, isNamed: Bool) throws -> [Link] {
    var links = [try link(path, isNamed: isNamed)]
    while let last = links.last, let base = last.header.base {
      guard links.count <= most else {
        throw StoreError(.corrupt, "'\(path)' rests on more than \(most) other backups")
      }
      let earlier = folder(of: last.path) + base.file
      guard isName(base.file), DiskFile.exists(earlier) else {
        throw StoreError(
          .corrupt,
          "'\(last.path)' continues the backup '\(base.file)' (\(base.id)), which is not in its folder; "
            + "bring it there")
      }
      links.append(try link(earlier, isNamed: true))
      guard links.last?.header.id == base.id else {
        throw StoreError(
          .corrupt,
          "'\(earlier)' is not the backup that '\(last.path)' continues, which has the ID \(base.id); bring "
            + "that one there, under this name")
      }
    }
    return links.reversed()
  }

  private static func link(_ path: String, isNamed: Bool) throws -> Link {
    let file = try DiskFile.reading(path)
    let read: BackupFrames.Read = { try file.bytes(at: $0, count: $1) }
    return Link(
      path: path, size: try file.size(), isNamed: isNamed,
      header: try naming(path, if: isNamed) { try BackupCheck.header(read) }, read: read)
  }

  /// With its slash; empty: the one in which the command runs.
  package static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// The last part of a path.
  package static func name(of path: String) -> String {
    String(path.dropFirst(folder(of: path).count))
  }

  /// Whether it names a file of the same folder and no other.
  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.contains("/") && !name.contains("\0")
  }
}
