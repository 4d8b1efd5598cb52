// A server that gives its answers in turn, and the last for ever. For what a healthy server cannot be
// made to say, such as "come back later".

import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

final class BusyServer: Sendable {
  let url: URL
  private let socket: Int32

  /// Listens on a free port until it is let go.
  convenience init(answering answer: String) throws { try self.init(inTurn: [answer]) }

  /// - Parameter answers: not empty.
  init(inTurn answers: [String]) throws {
    #if canImport(Glibc)
      let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let listener = Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    let port = UInt16(bigEndian: address.sin_port)
    guard isListening, let url = URL(string: "http://127.0.0.1:\(port)") else {
      throw URLError(.cannotConnectToHost)
    }
    self.url = url
    socket = listener
    Thread.detachNewThread { Self.serve(listener, answers) }
  }

  deinit {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }

  /// One request a connection: what fits into one read is enough to know that somebody asked.
  private static func serve(_ socket: Int32, _ answers: [String]) {
    var answers = answers[...]
    while let answer = answers.first {
      let connection = accept(socket, nil, nil)
      guard connection >= 0 else { return }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      _ = read(connection, &buffer, buffer.count)
      let bytes = Array(answer.utf8)
      _ = write(connection, bytes, bytes.count)
      close(connection)
      if answers.count > 1 { answers.removeFirst() }
    }
  }
}
