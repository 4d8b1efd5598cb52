// The file of a Unix socket: a stale one may be replaced, a live one belongs to another server. The listener
// makes it; who else may open it than the server's own user, the rights of its folder decide.

import BrumeModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where a server listens instead of on a port.
package struct UnixSocket: Equatable, Sendable {
  package let path: String

  init(_ path: String) { self.path = path }

  /// What programs on the machine write in front of a path.
  package var url: String { "http+unix://" + FormText.escaped(path) }

  /// - Throws: `CannotListen` if the system could not take such a path.
  package func checkLength() throws(CannotListen) {
    let most = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    guard path.utf8.count <= most else {
      throw CannotListen(
        "the socket's path has \(path.utf8.count) bytes, and the system takes \(most); choose a shorter one "
          + "with \(Setting.unixSocket.flag)")
    }
  }

  /// Sees to it that the listener may make the file, for this user only.
  ///
  /// - Throws: `CannotListen` if another server listens there, or something else stands there.
  package func prepare() throws(CannotListen) {
    try checkLength()
    // Between the making of the file and a later change of its rights others could connect.
    umask(0o077)
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw CannotListen(
        "'\(path)' exists and is no socket; choose another path with \(Setting.unixSocket.flag)")
    }
    guard !isAnswering else {
      throw CannotListen(
        "another server listens on '\(path)'; stop it, or choose another path with "
          + Setting.unixSocket.flag)
    }
    unlink(path)
  }

  /// At a clean end.
  package func remove() { unlink(path) }

  private var isAnswering: Bool {
    #if canImport(Darwin)
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
    defer { close(descriptor) }
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
