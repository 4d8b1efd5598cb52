// Blocking sockets on this machine, as little of them as a proxy needs.

import Foundation

enum Sockets {
  struct Failure: Error {}

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  /// A listening socket and its port.
  static func listen() throws -> (socket: Int32, port: UInt16) {
    let socket = socket(AF_INET, stream, 0)
    var (address, length) = address(port: 0)
    guard with(&address, { bind(socket, $0, length) }) == 0, Foundation.listen(socket, 16) == 0,
      with(&address, { getsockname(socket, $0, &length) }) == 0
    else { throw Failure() }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// Nil once the listener is closed.
  static func accept(_ listener: Int32) -> Int32? {
    let socket = Foundation.accept(listener, nil, nil)
    return socket < 0 ? nil : socket
  }

  static func connect(to port: UInt16) throws -> Int32 {
    let socket = socket(AF_INET, stream, 0)
    var (address, length) = address(port: port)
    guard with(&address, { Foundation.connect(socket, $0, length) }) == 0 else { throw Failure() }
    return socket
  }

  /// What comes next; nothing at the end.
  static func read(_ socket: Int32) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Foundation.read(socket, &buffer, buffer.count)
    return count > 0 ? Array(buffer.prefix(count)) : []
  }

  static func write(_ bytes: [UInt8], to socket: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, noSignal) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends the conversation; whoever reads from the socket notices.
  static func end(_ socket: Int32) { _ = shutdown(socket, shutBoth) }

  #if canImport(Glibc)
    private static let noSignal = Int32(MSG_NOSIGNAL)
    private static let shutBoth = Int32(SHUT_RDWR)
  #else
    private static let noSignal: Int32 = 0
    private static let shutBoth = SHUT_RDWR
  #endif

  private static func address(port: UInt16) -> (sockaddr_in, socklen_t) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return (address, socklen_t(MemoryLayout<sockaddr_in>.size))
  }

  private static func with(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
  ) -> Int32 {
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }
}
