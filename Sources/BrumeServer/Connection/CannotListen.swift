// Why a server cannot listen where it should: on a port, or on a Unix socket. Each reason names the setting and what
// to do next, and ends `brume serve` with the same status.

import NIOCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The server cannot listen where it should: another program does, or the place is not there or not this server's.
package struct CannotListen: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  /// Nil: the failure is another one.
  init?(_ error: any Error, _ settings: Settings) {
    let reason =
      settings.unixSocket.map { Self.reason(error, $0.path) } ?? Self.reason(error, settings)
    guard let reason else { return nil }
    description = reason
  }

  private static func reason(_ error: any Error, _ settings: Settings) -> String? {
    if error is SocketAddressError.UnknownHost {
      return
        "the name '\(settings.host)' cannot be looked up; --host may be 127.0.0.1, 0.0.0.0 or a name of "
        + "this machine"
    }
    return switch (error as? IOError)?.errnoCode {
    case EADDRINUSE:
      "port \(settings.port) on \(settings.host) is taken; stop the other program, "
        + "or choose another with --port (0 takes any free one)"
    case EADDRNOTAVAIL:
      "'\(settings.host)' is no address of this machine; --host may be one of its own, "
        + "127.0.0.1 or 0.0.0.0"
    case EACCES:
      "port \(settings.port) needs a right that this user does not have; choose one above 1023 with "
        + "--port, or give the program CAP_NET_BIND_SERVICE"
    default: nil
    }
  }

  private static func reason(_ error: any Error, _ path: String) -> String? {
    let another = "or choose another path with \(Setting.unixSocket.flag)"
    return switch (error as? IOError)?.errnoCode {
    case EADDRINUSE: "another program has the socket '\(path)'; stop it, \(another)"
    case ENOENT, ENOTDIR:
      "the socket '\(path)' cannot be made: its folder is not there; make it, \(another)"
    case EACCES, EROFS, EPERM:
      "the socket '\(path)' cannot be made: this user may not write its folder; change the folder's rights, "
        + another
    default: nil
    }
  }
}
