// Files of fetched assets on this machine. A staging area: a program that wants to keep a file
// copies it. Our servers' checksums say what a file must hold,
// so that one that is here already and unharmed is not fetched again.

package import BrumeModel
package import Foundation

/// Keeps fetched files under their checksums.
package struct AssetCache: Sendable {
  /// Ours: all files together; what was not asked for the longest goes first.
  static let limitBytes: Int64 = 2 << 30
  /// Ours: a file stays for so long after it was asked for, beyond the limit too: the app may still have to copy it.
  static let keptSeconds = 3600.0
  /// Ours: what is being fetched for so long was left by a program that ended.
  static let leftSeconds = 86_400.0
  private let directory: URL
  private let limitBytes: Int64

  /// - Parameters:
  ///   - directory: for these files alone.
  ///   - stateDirectory: the device's own, used without a directory. Without either it is the system's temporary
  ///     folder, in a place that only this user can read.
  package init(
    in directory: String? = nil, stateDirectory: String?, limitBytes: Int64 = Self.limitBytes
  ) {
    self.limitBytes = limitBytes
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
  /// - Parameter download: hands the bytes over.
  /// - Throws: what `download` throws; `CallFailure` if the bytes are not those of the asset, or
  ///   there is no place for them.
  package func file(
    of asset: Asset, now: () -> Date, uuid: () -> String,
    download: ((ArraySlice<UInt8>) async throws -> Void) async throws -> Void
  ) async throws -> URL {
    try prepare()
    let name = Self.name(of: asset, uuid: uuid)
    let place = directory.appending(path: name)
    if Self.digest(in: asset) != nil, Self.holds(place, asset) {
      Self.touch(place, now())
      return place
    }
    let temporary = directory.appending(path: ".\(uuid())")
    do {
      try await fetch(asset, to: temporary, begun: now(), download)
      guard rename(temporary.path, place.path) == 0 else { throw Self.cannotWrite(place) }
    } catch {
      unlink(temporary.path)
      throw error
    }
    Self.touch(place, now())
    prune(now())
    return place
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

  private static func cannotWrite(_ url: URL, _ reason: String = "") -> CallFailure {
    .notConfigured(
      "files of assets cannot be kept at '\(url.path)'\(reason); make room there, or set "
        + "BRUME_STATE_DIR to a folder of yours")
  }

  // MARK: Names and contents

  private static func name(of asset: Asset, uuid: () -> String) -> String {
    guard digest(in: asset) != nil else { return uuid() }
    return String(
      asset.fileChecksum.map { $0 == "/" ? "_" : $0 == "+" ? "-" : $0 }.filter { $0 != "=" })
  }

  /// The first 20 bytes of the content's SHA-256, if the checksum is of our form.
  private static func digest(in asset: Asset) -> [UInt8]? {
    guard let bytes = Base64.bytes(asset.fileChecksum), bytes.count == 21, bytes[0] == 1 else {
      return nil
    }
    return Array(bytes.dropFirst())
  }

  private static func holds(_ place: URL, _ asset: Asset) -> Bool {
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

  private static func touched(_ status: stat) -> Double {
    #if canImport(Darwin)
      return Double(status.st_atimespec.tv_sec)
    #else
      return Double(status.st_atim.tv_sec)
    #endif
  }

  /// Removes files beyond the limit, unless they were asked for lately.
  private func prune(_ now: Date) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    removeLeftovers(among: names, now)
    let known = names.filter { !$0.hasPrefix(".") }.compactMap {
      name -> (path: String, size: Int64, date: Double)? in
      let path = directory.appending(path: name).path
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      return (path, Int64(status.st_size), Self.touched(status))
    }.sorted { $0.date > $1.date }
    var sum: Int64 = 0
    for file in known {
      sum += file.size
      if sum > limitBytes, now.timeIntervalSince1970 - file.date >= Self.keptSeconds {
        unlink(file.path)
      }
    }
  }

  /// Removes what programs that were killed had begun to fetch.
  private func removeLeftovers(among names: [String], _ now: Date) {
    for name in names where name.hasPrefix(".") {
      let path = directory.appending(path: name).path
      var status = stat()
      guard lstat(path, &status) == 0,
        now.timeIntervalSince1970 - Self.touched(status) >= Self.leftSeconds
      else { continue }
      unlink(path)
    }
  }
}
