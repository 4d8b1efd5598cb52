// Assets in a folder: `ab/abcd…`, two letters of the name as the folder. An object is written under
// `incoming/`, saved to the disk, and then moved to its place, so that what has its name is whole.

package import BrumeStorage

/// Assets in one folder. Its errors are those of `AssetStore`.
package final class FolderAssetStore: AssetStore {
  private let root: String
  private var incoming: String { root + "/incoming" }

  /// Opens the store in a folder, which is made if its parent exists. What an earlier process left
  /// unfinished is removed.
  package init(folder: String) throws(AssetFailure) {
    root = folder
    try Folder.make(folder)
    // Also if an earlier process made it: it may have died before it could wait for the disk.
    guard OwnerOnly.syncParent(of: folder) else {
      throw OpenFile.failure("save the name of", folder)
    }
    try Folder.make(incoming)
    for name in Folder.names(in: incoming) { try Folder.remove("\(incoming)/\(name)") }
  }

  /// The store of a folder that somebody else writes. Only to be read.
  package init(reading folder: String) { root = folder }

  package func write(
    _ name: String, from next: () async throws -> ArraySlice<UInt8>?
  ) async throws {
    try AssetObjectName.check(name)
    let temporary = "\(incoming)/\(name)"
    let file = try OpenFile.new(temporary)
    do {
      while let piece = try await next() { try file.append(piece) }
      try await file.sync()
      try Folder.make(place(of: name))
      try Folder.move(temporary, to: path(of: name))
    } catch {
      try? Folder.remove(temporary)
      throw error
    }
    // A file whose folder does not know it is lost in a power failure.
    try await OpenFile.existing(place(of: name)).sync()
    try await OpenFile.existing(root).sync()
  }

  package func size(of name: String) async throws -> Int64? {
    try AssetObjectName.check(name)
    do throws(AssetFailure) {
      return try OpenFile.existing(path(of: name)).size
    } catch {
      if error.code == .missing { return nil }
      throw error
    }
  }

  package func read(
    _ name: String, _ range: Range<Int64>, into take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws {
    try AssetObjectName.check(name)
    try await OpenFile.existing(path(of: name)).read(range, into: take)
  }

  package func remove(_ name: String) async throws { try await remove([name]) }

  package func remove(_ names: [String]) async throws {
    for name in names {
      try AssetObjectName.check(name)
      try Folder.remove(path(of: name))
    }
    // Whoever forgets the names after this must not find them again after a power failure.
    for place in Set(names.map { place(of: $0) }) {
      do {
        try await OpenFile.existing(place).sync()
      } catch let failure as AssetFailure where failure.code == .missing {
        // Nothing was ever there.
      }
    }
  }

  package func names(after name: String, limit: Int) async throws -> [String] {
    var found: [String] = []
    for place in Folder.names(in: root) where place.utf8.count == 2 && place >= name.prefix(2) {
      found += Folder.names(in: "\(root)/\(place)").filter { $0 > name }
      if found.count >= limit { break }
    }
    return Array(found.prefix(limit))
  }

  /// What distinguishes this folder from all others, kept in it.
  ///
  /// - Parameter new: for a folder that has nothing of that kind yet; never used before.
  package func identity(orElse new: String) throws(AssetFailure) -> String {
    let path = "\(root)/.identity"
    do throws(AssetFailure) {
      let bytes = try OpenFile.existing(path).bytes(at: 0, count: 100)
      if !bytes.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      // Its writer died.
      try Folder.remove(path)
    } catch {
      guard error.code == .missing else { throw error }
    }
    try OpenFile.new(path).append(ArraySlice(new.utf8))
    return new
  }

  private func place(of name: String) -> String { "\(root)/\(name.prefix(2))" }
  private func path(of name: String) -> String { "\(place(of: name))/\(name)" }
}
