// The data folder: who may use it, and the small files in it that the command line reads.
//
// A lock, held by the kernel for as long as the server runs, keeps a second server out; it needs no
// clean-up after a crash. `server.json` says how to reach the running server and is for its owner's
// eyes only.

import BrumeStorage
import BrumeWire

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Why a data folder cannot be used.
package struct DataFolderError: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String
  /// What was to be read is not there.
  package let isMissing: Bool
  /// The disk has no room for what was to be written.
  package let isLackOfRoom: Bool
  package init(_ description: String, isMissing: Bool = false, isLackOfRoom: Bool = false) {
    self.description = description
    self.isMissing = isMissing
    self.isLackOfRoom = isLackOfRoom
  }
}

/// The folder, locked for this process until the value goes away.
package final class DataFolder: Sendable {
  package let path: String
  /// What a server notes of a database that is not in the folder.
  static let databaseMark = "postgres.mark"
  private let lock: Int32

  /// Makes the folder if it is missing and locks it.
  ///
  /// - Parameter otherwise: what may be done instead of stopping another server that has it.
  /// - Throws: `DataFolderError`, also if another process has it.
  package init(
    path: String, otherwise: String = "start this one with another --data FOLDER"
  ) throws {
    self.path = path
    guard OwnerOnly.makeFolders(path) else {
      throw DataFolderError(
        "the data folder '\(path)' cannot be made (\(SystemError.reason())); choose another with --data"
      )
    }
    let descriptor = open("\(path)/server.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == ENOTDIR {
        throw DataFolderError("the data folder '\(path)' is a file; name a folder with --data")
      }
      throw DataFolderError(
        "the data folder '\(path)' cannot be written (\(SystemError.reason())); check its owner and rights"
      )
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      let other = (try? ServerFile(folder: path)).map { " at \($0.url), process \($0.processID)" }
      throw DataFolderError(
        "another server uses the data folder '\(path)'\(other ?? ""); stop it, or \(otherwise)")
    }
    lock = descriptor
    try takeUpRestore()
  }

  /// Moves in what an operator has restored in place, if that waits. Nothing has the store open.
  ///
  /// - Throws: `DataFolderError` if a file cannot be moved.
  package func takeUpRestore() throws { try RestoreFolder(in: path).takeUp() }

  /// The path from the root, for programs that run in other folders.
  package var absolutePath: String {
    guard let whole = realpath(path, nil) else { return path }
    defer { free(whole) }
    return String(cString: whole)
  }

  /// Bytes that are free on the disk of a folder; nil if nobody knows.
  package static func room(at path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
  }

  deinit { close(lock) }

  /// Writes a file that only its owner can read, all at once.
  ///
  /// - Parameter isDurable: whether to wait for the disk. Without that a loss of power may leave the name with nothing in it.
  /// - Throws: `DataFolderError`; what the file held before is still there.
  package func write(_ bytes: [UInt8], to name: String, isDurable: Bool = true) throws {
    let temporary = "\(path)/.\(name).new"
    do { try write(bytes, at: temporary, for: name, isDurable) } catch {
      // A part of it would take room that the disk does not have.
      unlink(temporary)
      throw error
    }
    guard rename(temporary, "\(path)/\(name)") == 0 else { throw failure(name) }
  }

  private func write(
    _ bytes: [UInt8], at temporary: String, for name: String, _ isDurable: Bool
  ) throws(DataFolderError) {
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(name) }
    defer { close(descriptor) }
    if let number = Descriptor.write(bytes[...], to: descriptor, waits: false).failure {
      throw failure(name, number)
    }
    guard !isDurable || fsync(descriptor) == 0 else { throw failure(name) }
  }

  /// Removes a file of the folder, if it is there.
  package func remove(_ name: String) { unlink("\(path)/\(name)") }

  /// A file's whole content, or nil if there is none. For small files.
  /// - Throws: `DataFolderError` for one that is there and cannot be read: who took it for missing would write over it.
  package static func contents(of path: String) throws -> [UInt8]? {
    do {
      return try bytes(of: path)
    } catch {
      if error.isMissing { return nil }
      throw DataFolderError("'\(path)' cannot be read (\(error.reason))")
    }
  }

  /// A file's whole content, or nil if there is none or it cannot be read. For small files.
  package static func read(_ path: String) -> [UInt8]? { try? bytes(of: path) }

  /// Why the system did not let a file be read. Taken at once: whatever runs next may change `errno`.
  fileprivate struct ReadFailure: Error {
    let number = errno
    var reason: String { SystemError.reason(number) }
    var isMissing: Bool { number == ENOENT || number == ENOTDIR }
  }

  fileprivate static func bytes(of path: String) throws(ReadFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ReadFailure() }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = block.withUnsafeMutableBytes { readSome(descriptor, $0) }
      if count < 0 { throw ReadFailure() }
      if count == 0 { return content }
      content += block[..<count]
    }
  }

  private func failure(_ name: String, _ number: Int32 = errno) -> DataFolderError {
    DataFolderError(
      "'\(name)' cannot be written into the data folder '\(path)' (\(SystemError.reason(number)))",
      isLackOfRoom: SystemError.isLackOfRoom(number))
  }

  // The name `read` is taken by this type.
  private static func readSome(_ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.read(descriptor, bytes.baseAddress, bytes.count)
    #else
      Glibc.read(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}

/// `server.json`: how the command line reaches the server of a data folder.
package struct ServerFile: Equatable, Sendable {
  package static let name = "server.json"
  /// Where the listener itself is, not what clients elsewhere use.
  package var url: String
  package var adminToken: String
  package var processID: Int

  package init(url: String, adminToken: String, processID: Int) {
    self.url = url
    self.adminToken = adminToken
    self.processID = processID
  }

  /// Reads the file of a running server.
  ///
  /// - Throws: `DataFolderError` if no server runs, or its file is damaged.
  package init(folder: String) throws {
    let bytes: [UInt8]
    do { bytes = try DataFolder.bytes(of: "\(folder)/\(Self.name)") } catch {
      throw Self.error(error, in: folder)
    }
    guard case .object(let object)? = try? JSON(parsing: bytes),
      case .string(let url) = object["url"], case .string(let token) = object["adminToken"],
      case .int(let processID) = object["pid"]
    else {
      throw DataFolderError(
        "'\(folder)/\(Self.name)' is damaged; restart the server, which writes it anew")
    }
    self.init(url: url, adminToken: token, processID: Int(processID))
  }

  private static func error(
    _ failure: DataFolder.ReadFailure, in folder: String
  ) -> DataFolderError {
    if failure.isMissing {
      return DataFolderError(
        "no server is running on the data folder '\(folder)'; start one with 'brume serve --data "
          + "\(folder)', or name its folder with --data")
    }
    // Whether a server runs there cannot be seen.
    if failure.number == EACCES {
      return DataFolderError(
        "the data folder '\(folder)' is another user's; run the command as that user (sudo -u), or name the "
          + "server by --url and --admin-token")
    }
    return DataFolderError(
      "'\(folder)/\(name)' cannot be read (\(failure.reason)); mend that, or name the server by --url and "
        + "--admin-token")
  }

  /// The file's content, as JSON.
  package var bytes: [UInt8] {
    var object = JSONObject()
    object["url"] = .string(url)
    object["adminToken"] = .string(adminToken)
    object["pid"] = .int(Int64(processID))
    return JSON.object(object).bytes()
  }
}
