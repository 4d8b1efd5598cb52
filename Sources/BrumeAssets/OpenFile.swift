// A file descriptor with a lifetime, and the few calls that the asset stores make. What waits for
// the disk runs on a queue of its own: the threads of Swift's concurrency must not wait.

import BrumeStorage
import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

final class OpenFile: Sendable {
  private static let disk = DispatchQueue(label: "brume.assets.disk", attributes: .concurrent)
  /// Ours: how much is read at once.
  static let pieceBytes = 131_072
  private let descriptor: Int32
  private let path: String

  /// Opens a file, never through a symbolic link.
  private init(_ path: String, _ flags: Int32) throws(AssetFailure) {
    descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
    self.path = path
    guard descriptor >= 0 else { throw Self.failure("open", path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  static func new(_ path: String) throws(AssetFailure) -> OpenFile {
    try OpenFile(path, O_RDWR | O_CREAT | O_EXCL)
  }
  static func existing(_ path: String) throws(AssetFailure) -> OpenFile {
    try OpenFile(path, O_RDONLY)
  }

  var size: Int64 {
    get throws(AssetFailure) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { throw Self.failure("look at", path) }
      return Int64(status.st_size)
    }
  }

  /// Writes all of `bytes` at the end of what was written.
  func append(_ bytes: ArraySlice<UInt8>) throws(AssetFailure) {
    if let number = Descriptor.write(bytes, to: descriptor, waits: false).failure {
      throw Self.failure("write", path, number)
    }
  }

  /// At most `count` bytes from `offset`; empty at the end.
  func bytes(at offset: Int64, count: Int) throws(AssetFailure) -> [UInt8] {
    while true {
      var result = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        result = pread(descriptor, buffer.baseAddress, count, off_t(offset))
        filled = max(0, result)
      }
      if result >= 0 { return bytes }
      guard errno == EINTR else { throw Self.failure("read", path) }
    }
  }

  /// Hands over a range of the file.
  func read(
    _ range: Range<Int64>, into take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let wanted = min(Int64(Self.pieceBytes), range.upperBound - offset)
      let piece = try bytes(at: offset, count: Int(wanted))
      guard !piece.isEmpty else {
        throw AssetFailure(.missing, "'\(path)' is shorter than it was")
      }
      offset += Int64(piece.count)
      try await take(piece[...])
    }
  }

  /// Returns when the content is on the disk.
  func sync() async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      Self.disk.async { [descriptor, path] in
        if fsync(descriptor) == 0 {
          done.resume()
        } else {
          done.resume(throwing: Self.failure("save", path))
        }
      }
    }
  }

  static func failure(
    _ what: String, _ path: String, _ number: Int32 = errno
  ) -> AssetFailure {
    let code: AssetFailure.Code =
      switch number {
      case ENOENT, ELOOP: .missing
      default: SystemError.isLackOfRoom(number) ? .noRoom : .unavailable
      }
    return AssetFailure(code, "cannot \(what) '\(path)': \(SystemError.reason(number))")
  }
}

/// Folders and names in them.
enum Folder {
  /// Makes the folder if it is missing; its parent must exist.
  static func make(_ path: String) throws(AssetFailure) {
    guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    throw OpenFile.failure("make the folder", path)
  }

  static func move(_ path: String, to other: String) throws(AssetFailure) {
    guard rename(path, other) == 0 else { throw OpenFile.failure("move", path) }
  }

  static func remove(_ path: String) throws(AssetFailure) {
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw OpenFile.failure("remove", path)
  }

  /// Names in the folder in order, without those that begin with a dot; none if it is not there.
  static func names(in path: String) -> [String] {
    OwnerOnly.names(in: path).filter { !$0.hasPrefix(".") }.sorted()
  }
}
