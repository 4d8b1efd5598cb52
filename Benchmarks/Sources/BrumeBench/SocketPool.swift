// Very many open sockets, read by one thread: counts how often a text arrives on any of them.

import CEpoll
import Foundation

#if canImport(Glibc)
  import Glibc
#endif

final class SocketPool {
  private let poll: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  /// What counts as one delivery.
  private let mark: [UInt8]
  private var rests: [Int32: [UInt8]] = [:]
  private(set) var sockets: [Int32] = []

  init(mark: String) {
    self.mark = Array(mark.utf8)
    poll = epoll_create1(0)
  }

  deinit {
    for socket in sockets { close(socket) }
    close(poll)
  }

  /// Connects, and sends what makes the other side deliver.
  func join(port: UInt16, sending request: [UInt8]) throws {
    let socket = try TCP.connect(port: port)
    try TCP.send(request, to: socket)
    var event = epoll_event()
    event.events = UInt32(EPOLLIN.rawValue)
    event.data.fd = socket
    guard epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0 else {
      throw BenchError("epoll: \(errno)")
    }
    sockets.append(socket)
  }

  /// Reads until so many deliveries came.
  func wait(for count: Int, seconds: Int) throws {
    var seen = 0
    var events = [epoll_event](repeating: epoll_event(), count: 512)
    let end = ContinuousClock.now + .seconds(seconds)
    while seen < count {
      let ready = epoll_wait(poll, &events, 512, 1000)
      guard ContinuousClock.now < end else {
        throw BenchError("\(seen) of \(count) deliveries came in \(seconds) s")
      }
      for index in 0..<Int(max(0, ready)) { seen += try read(events[index].data.fd) }
    }
  }

  /// Reads what is there and forgets it.
  func settle(milliseconds: Int32) throws {
    var events = [epoll_event](repeating: epoll_event(), count: 512)
    while true {
      let ready = epoll_wait(poll, &events, 512, milliseconds)
      if ready <= 0 { return }
      for index in 0..<Int(ready) { _ = try read(events[index].data.fd) }
    }
  }

  private func read(_ socket: Int32) throws -> Int {
    let count = recv(socket, &buffer, buffer.count, 0)
    guard count > 0 else { throw BenchError("a device's connection was closed") }
    // A mark may lie across two readings.
    let bytes = (rests[socket] ?? []) + buffer[..<count]
    rests[socket] = Array(bytes.suffix(mark.count - 1))
    return bytes.withUnsafeBytes { occurrences(in: $0) }
  }

  private func occurrences(in bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    var (start, found) = (0, 0)
    while start + mark.count <= bytes.count,
      let place = memchr(base + start, Int32(mark[0]), bytes.count - mark.count - start + 1)
    {
      start = UnsafeRawPointer(place) - base
      if memcmp(place, mark, mark.count) == 0 {
        found += 1
        start += mark.count
      } else {
        start += 1
      }
    }
    return found
  }
}

enum TCP {
  static func connect(port: UInt16) throws -> Int32 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw BenchError("cannot connect to port \(port): \(errno)") }
    return socket
  }

  static func send(_ bytes: [UInt8], to socket: Int32) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress! + sent, bytes.count - sent, 0)
      }
      guard count > 0 else { throw BenchError("a connection was closed") }
      sent += count
    }
  }
}
