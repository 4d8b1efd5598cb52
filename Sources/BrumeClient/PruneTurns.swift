// When a folder of fetched files is looked through for what has to go. A look reads each name of the folder, so there is none
// for each download. Only decides: what a look does is in `AssetCache+Room.swift`.

/// Counts what one process has fetched into each folder since its last look.
struct PruneTurns: Equatable, Sendable {
  /// Ours: downloads between two looks.
  static let downloads = 64
  /// Ours: between two looks comes this part of what all files may have together, 64 MB of 2 GB.
  static let partOfBytes: Int64 = 32
  /// Ours: in a folder of more than 1,024 names there are more downloads between two looks, so that a first sync
  /// of any size reads about 16 names for each of its files.
  static let namesForEach = 16
  /// Ours: a device has one folder. When a process has used more, all begin again with a look.
  static let folders = 64

  private struct Count: Equatable {
    var downloads = 0
    var bytes: Int64 = 0
    /// In the folder, at the last look.
    var names = 0
  }
  private var counts: [String: Count] = [:]

  /// A file has come: whether the folder is looked through now. At the first one it is.
  ///
  /// - Parameters:
  ///   - bytes: of the file.
  ///   - limitBytes: of all files of the folder.
  mutating func isDue(in folder: String, after bytes: Int64, of limitBytes: Int64) -> Bool {
    guard var count = counts[folder] else {
      if counts.count >= Self.folders { counts = [:] }
      counts[folder] = Count()
      return true
    }
    count.downloads += 1
    count.bytes += bytes
    let isDue =
      count.downloads >= max(Self.downloads, count.names / Self.namesForEach)
      || count.bytes >= limitBytes / Self.partOfBytes
    counts[folder] = isDue ? Count(names: count.names) : count
    return isDue
  }

  /// A look through a folder has found so many names.
  mutating func found(_ names: Int, in folder: String) { counts[folder]?.names = names }
}
