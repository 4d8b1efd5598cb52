// A mark on the disk, written before commits are acknowledged. It is one line at the file's beginning,
// changed in place: whatever the end of the process, the kernel has it. A loss of power may take back
// some of it, so a mark may be behind the database, but never ahead of it.

import BrumeStorage
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

final class MarkFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// Opens the file for this process alone, making it if it is missing.
  ///
  /// - Throws: `inUse` if another process has it, `unavailable` if it cannot be opened.
  init(_ path: String) throws(StoreError) {
    self.path = path
    descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, OwnerOnly.fileMode)
    guard descriptor >= 0 else {
      throw StoreError(.unavailable, "'\(path)': \(SystemError.reason())")
    }
    // All that it has is set, so a failure here ends in `deinit`, which closes the file. Closed twice, the second
    // would close what another thread has opened in between.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw StoreError(.inUse, "'\(path)' is in use")
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    // Said aloud, as in `FolderLock`.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Nil: nothing that makes sense was written.
  func read() -> StoreProgress? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0, let end = bytes[..<count].firstIndex(of: 10) else { return nil }
    return StoreProgress(line: String(decoding: bytes[...end], as: UTF8.self))
  }

  /// - Returns: whether the kernel took it.
  func write(_ progress: StoreProgress) -> Bool {
    var line = progress.line
    return line.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, 0) == $0.count }
  }

  /// Waits for the disk, as well as it goes.
  func sync() { fsync(descriptor) }
}

/// The marks of an open store. Only the start and the writer change them.
final class Marks: Sendable {
  private let files: [MarkFile]
  private let state: Mutex<(progress: StoreProgress, isBroken: Bool)>
  private let broken: @Sendable (_ path: String) -> Void

  /// - Parameter broken: called once, when a mark cannot be written any more.
  init(
    _ files: [MarkFile], at progress: StoreProgress, broken: @escaping @Sendable (String) -> Void
  ) {
    self.files = files
    self.broken = broken
    state = Mutex((progress, false))
  }

  /// The database says of itself that this run has begun, so the marks may say it too.
  func begin() {
    write(state.withLock { $0.progress })
    for file in files { file.sync() }
  }

  /// The log is durable up to here, and those who wrote it are about to get the answer.
  func advance(_ position: Int64) {
    let newer: StoreProgress? = state.withLock { state in
      guard state.progress.position < position else { return nil }
      state.progress.position = position
      return state.progress
    }
    if let newer { write(newer) }
  }

  private func write(_ progress: StoreProgress) {
    for file in files where !file.write(progress) {
      let isFirst = state.withLock { state in
        defer { state.isBroken = true }
        return !state.isBroken
      }
      if isFirst { broken(file.path) }
    }
  }
}
