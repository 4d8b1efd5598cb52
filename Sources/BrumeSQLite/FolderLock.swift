// One process per data folder. The kernel releases the lock when the process ends, however it
// ends, so a lock is never left behind.

import BrumeStorage

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

struct FolderLock: ~Copyable {
  private let descriptor: Int32

  init(folder: String) throws(StoreError) {
    let path = folder + "/lock"
    let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, OwnerOnly.fileMode)
    guard descriptor >= 0 else {
      throw StoreError(
        .unavailable,
        "cannot open '\(path)': \(SystemError.reason()); let this server's user write into the folder, or choose "
          + "another with --data")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw StoreError(
        .inUse, "another server uses the data folder '\(folder)'; stop it or choose another folder")
    }
    self.descriptor = descriptor
  }

  deinit {
    // Said aloud, as a process that is just being forked holds the descriptor a moment longer.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

extension FolderLock {
  /// Makes the folder if it is missing; its parent must exist.
  static func makeFolder(_ folder: String) throws(StoreError) {
    guard mkdir(folder, OwnerOnly.folderMode) != 0, errno != EEXIST else { return }
    throw StoreError(
      .unavailable,
      "cannot make the data folder '\(folder)': \(SystemError.reason()); make it for this server's user, or choose "
        + "another with --data")
  }
}
