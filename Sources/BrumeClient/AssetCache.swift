// Files of fetched assets on this machine. A staging area: a program that wants to keep a file
// copies it. Our servers' checksums say what a file must hold,
// so that one that is here already and unharmed is not fetched again. Each field that holds a content has
// a name of its own for it, so that an app which moves or removes the one file leaves the others.

package import BrumeModel
package import Foundation

/// Keeps fetched files under their checksums.
package struct AssetCache: Sendable {
  /// Ours: all files together; what was not asked for the longest goes first.
  static let limitBytes: Int64 = 2 << 30
  /// Ours: one for each content and one for each field that holds it, so 10,000 files that are in one field each, of 200 KB
  /// at the limit of bytes. A look through so many takes less than a tenth of a second, and nobody is
  /// given a file meanwhile.
  static let limitNames = 20_000
  let directory: URL
  let limitBytes: Int64
  let limitNames: Int

  /// - Parameters:
  ///   - directory: for these files alone.
  ///   - stateDirectory: the device's own, used without a directory. Without either it is the system's temporary
  ///     folder, in a place that only this user can read.
  package init(
    in directory: String? = nil, stateDirectory: String?, limitBytes: Int64 = Self.limitBytes,
    limitNames: Int = Self.limitNames
  ) {
    (self.limitBytes, self.limitNames) = (limitBytes, limitNames)
    if let directory {
      self.directory = URL(filePath: directory)
    } else if let stateDirectory {
      self.directory = URL(filePath: stateDirectory).appending(path: "assets")
    } else {
      self.directory = FileManager.default.temporaryDirectory.appending(
        path: "brume-assets-\(getuid())")
    }
  }

  /// The local file of an asset, fetched if it is not here.
  ///
  /// - Parameters:
  ///   - holder: what names the field that holds it: no other one gets the same file.
  ///   - download: hands the bytes over.
  /// - Throws: what `download` throws; `CallFailure` if the bytes are not those of the asset, or
  ///   there is no place for them.
  package func file(
    of asset: Asset, for holder: [String], now: () -> Date, uuid: () -> String,
    download: ((ArraySlice<UInt8>) async throws -> Void) async throws -> Void
  ) async throws -> URL {
    try prepare()
    let isKnown = Self.digest(in: asset) != nil
    let name = isKnown ? Self.name(of: asset) : uuid()
    let content = directory.appending(path: name)
    let own = isKnown ? directory.appending(path: "\(name).\(Self.name(of: holder))") : content
    for place in [own, content] where isKnown && Self.holds(place, asset) {
      if try give(place, as: own, now(), by: uuid()) { return own }
    }
    let temporary = directory.appending(path: ".\(uuid())")
    do {
      try await fetch(asset, to: temporary, begun: now(), download)
      try whileNoneGoes {
        guard rename(temporary.path, content.path) == 0 else { throw Self.cannotWrite(content) }
        try put(content, under: own, now(), by: uuid())
      }
    } catch {
      unlink(temporary.path)
      throw error
    }
    makeRoom(after: asset.size, now())
    return own
  }

  /// Gives a file that is here to a holder. False if it went after it was looked at.
  private func give(_ place: URL, as own: URL, _ now: Date, by uuid: String) throws -> Bool {
    try whileNoneGoes {
      guard OutgoingFile.state(of: place) != nil else { return false }
      try put(place, under: own, now, by: uuid)
      return true
    }
  }

  /// Gives a file another name, where one may have two, or else makes a copy; and notes that it was asked for.
  private func put(_ place: URL, under own: URL, _ now: Date, by uuid: String) throws {
    Self.touch(place, now)
    guard place != own else { return }
    let temporary = directory.appending(path: ".\(uuid)")
    // It stays if the file has its name already.
    defer { unlink(temporary.path) }
    if link(place.path, temporary.path) != 0 {
      do { try FileManager.default.copyItem(at: place, to: temporary) } catch {
        throw Self.cannotWrite(own, " (\(error.localizedDescription))")
      }
      Self.touch(temporary, now)
    }
    guard rename(temporary.path, own.path) == 0 else { throw Self.cannotWrite(own) }
  }

  private func fetch(
    _ asset: Asset, to temporary: URL, begun: Date,
    _ download: ((ArraySlice<UInt8>) async throws -> Void) async throws -> Void
  ) async throws {
    guard
      FileManager.default.createFile(
        atPath: temporary.path, contents: nil, attributes: [.posixPermissions: 0o600]),
      let handle = FileHandle(forWritingAtPath: temporary.path)
    else { throw Self.cannotWrite(temporary) }
    defer { try? handle.close() }
    Self.touch(temporary, begun)
    var digest = ContentDigest()
    var size: Int64 = 0
    try await download { piece in
      piece.withUnsafeBytes { digest.update(bufferPointer: $0) }
      size += Int64(piece.count)
      try Self.write(piece, with: handle, to: temporary)
    }
    let expected = Self.digest(in: asset)
    guard size == asset.size, expected == nil || Array(digest.bytes().prefix(20)) == expected
    else {
      throw CallFailure.responseLost("the file of an asset arrived damaged or cut short")
    }
  }

  static func write(
    _ piece: ArraySlice<UInt8>, with handle: FileHandle, to place: URL
  ) throws(CallFailure) {
    do { try handle.write(contentsOf: Data(piece)) } catch {
      throw cannotWrite(place, " (\(error.localizedDescription))")
    }
  }

  /// Makes the folder, and refuses one that another user put there.
  private func prepare() throws {
    try? FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var status = stat()
    guard lstat(directory.path, &status) == 0, status.st_uid == getuid(),
      status.st_mode & S_IFMT == S_IFDIR
    else { throw Self.cannotWrite(directory) }
  }

  static func cannotWrite(_ url: URL, _ reason: String = "") -> CallFailure {
    .notConfigured(
      "files of assets cannot be kept at '\(url.path)'\(reason); make room there, or set "
        + "BRUME_STATE_DIR to a folder of yours")
  }

  // MARK: Names and contents

  private static func name(of asset: Asset) -> String { fileName(asset.fileChecksum) }

  private static func name(of holder: [String]) -> String {
    var digest = ContentDigest()
    for text in holder {
      digest.update(data: Array(text.utf8))
      digest.update(data: [0])
    }
    return fileName(Data(digest.bytes().prefix(15)).base64EncodedString())
  }

  private static func fileName(_ base64: String) -> String {
    String(base64.map { $0 == "/" ? "_" : $0 == "+" ? "-" : $0 }.filter { $0 != "=" })
  }

  /// The first 20 bytes of the content's SHA-256, if the checksum is of our form.
  private static func digest(in asset: Asset) -> [UInt8]? {
    guard let bytes = Base64.bytes(asset.fileChecksum), bytes.count == 21, bytes[0] == 1 else {
      return nil
    }
    return Array(bytes.dropFirst())
  }

  /// Whether a file is that of an asset: false too if the checksum is not of our form.
  package static func holds(_ place: URL, _ asset: Asset) -> Bool {
    guard let state = OutgoingFile.state(of: place), state.size == asset.size,
      let handle = try? FileHandle(forReadingFrom: place)
    else { return false }
    defer { try? handle.close() }
    var digest = ContentDigest()
    while let piece = try? handle.read(upToCount: OutgoingFile.pieceBytes), !piece.isEmpty {
      digest.update(data: piece)
    }
    return Array(digest.bytes().prefix(20)) == self.digest(in: asset)
  }

  /// Notes that a file was asked for, in the time of its last access: that of its content must not move while
  /// the app sends the file again.
  static func touch(_ place: URL, _ now: Date) {
    var status = stat()
    guard lstat(place.path, &status) == 0 else { return }
    #if canImport(Darwin)
      let content = status.st_mtimespec
    #else
      let content = status.st_mtim
    #endif
    let asked = timespec(tv_sec: Int(now.timeIntervalSince1970), tv_nsec: 0)
    _ = utimensat(AT_FDCWD, place.path, [asked, content], 0)
  }
}
