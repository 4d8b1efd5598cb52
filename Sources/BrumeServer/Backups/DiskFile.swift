// A file of a backup on the disk: made for its owner only, appended to, read at any place. Every failure says what
// was tried with which file, and a full disk has an error of its own.

package import BrumeStorage

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An open file; closed with the value.
package final class DiskFile: Sendable {
  package let path: String
  private let descriptor: Int32

  private init(_ path: String, _ flags: Int32) throws(StoreError) {
    self.path = path
    descriptor = open(path, flags | O_CLOEXEC, OwnerOnly.fileMode)
    guard descriptor >= 0 else { throw Self.failure("open", path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// A file to append to, which is made if it is missing.
  ///
  /// - Throws: `StoreError`, as all calls here: `noRoom` if the disk is full, `inUse` if another process writes
  ///   the file, else `unavailable`.
  package static func appending(_ path: String) throws(StoreError) -> DiskFile {
    while true {
      let file = try DiskFile(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW)
      guard fchmod(file.descriptor, OwnerOnly.fileMode) == 0 else {
        throw failure("take others' rights from", path)
      }
      guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
        throw StoreError(.inUse, "another process writes '\(path)'; wait for its end")
      }
      // Who had the lock before may have given the file its name, or removed it.
      if file.hasItsName { return file }
    }
  }

  /// Whether the path leads to this file.
  private var hasItsName: Bool {
    var (own, named) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0
      && own.st_dev == named.st_dev && own.st_ino == named.st_ino
  }

  /// Opens a file that is there.
  ///
  /// - Throws: `StoreError` that names the file, as every call.
  package static func reading(_ path: String) throws(StoreError) -> DiskFile {
    try DiskFile(path, O_RDONLY)
  }

  /// Whether there is a file or folder of this name.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether a folder has this name.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  package static func remove(_ path: String) { unlink(path) }

  /// In bytes.
  ///
  /// - Throws: `StoreError`.
  package func size() throws(StoreError) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure("look at", path) }
    return Int64(status.st_size)
  }

  /// Writes behind the end. What is written is durable after a sync only.
  ///
  /// - Throws: `StoreError`, with `noRoom` on a full disk; a part may be written then.
  package func append(_ bytes: some Collection<UInt8>) throws(StoreError) {
    if let number = Descriptor.write(Array(bytes)[...], to: descriptor, waits: false).failure {
      throw Self.failure("write", path, number)
    }
  }

  /// At most `count` bytes from `offset`; fewer only at the end.
  ///
  /// - Throws: `StoreError`.
  package func bytes(at offset: Int64, count: Int) throws(StoreError) -> [UInt8] {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count {
        let read = pread(
          descriptor, buffer.baseAddress.map { $0 + filled }, count - filled,
          off_t(offset) + off_t(filled))
        if read < 0, errno == EINTR { continue }
        failed = read < 0
        guard read > 0 else { return }
        filled += read
      }
    }
    if failed { throw Self.failure("read", path) }
    return bytes
  }

  /// Cuts the file, or lengthens it with zeros.
  ///
  /// - Throws: `StoreError`.
  package func truncate(to size: Int64) throws(StoreError) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw Self.failure("cut", path) }
  }

  /// Waits for the disk, gives the file its name, and waits for the folder's entry.
  ///
  /// - Throws: `StoreError` with `inUse` if there is a file of that name.
  package func finish(as name: String) throws(StoreError) {
    guard fsync(descriptor) == 0 else { throw Self.failure("save", path) }
    guard !Self.exists(name) else {
      throw StoreError(.inUse, "'\(name)' exists already; what was written is in '\(path)'")
    }
    guard rename(path, name) == 0 else { throw Self.failure("give its name to", path) }
    guard OwnerOnly.syncParent(of: name) else { throw Self.failure("save the place of", name) }
  }

  /// Why the last call failed, by what the system says of it.
  static func failure(
    _ what: String, _ path: String, _ number: Int32 = errno
  ) -> StoreError {
    let code: StoreError.Code = SystemError.isLackOfRoom(number) ? .noRoom : .unavailable
    return StoreError(code, "cannot \(what) '\(path)': \(SystemError.reason(number))")
  }
}
