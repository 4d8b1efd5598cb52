// A blocking HTTP/1.1 connection on a plain socket: the cheapest client there is, so that what is
// measured is the server.

import Foundation

#if canImport(Glibc)
  import Glibc
#endif

final class Connection {
  private let socket: Int32
  private var buffer: [UInt8] = []
  private var start = 0
  private let host: String

  init(host: String, port: UInt16) throws {
    self.host = "\(host):\(port)"
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw BenchError("cannot connect to \(self.host)") }
  }

  deinit { close(socket) }

  /// Sends a request and returns the body of a 200 answer.
  func request(_ method: String, _ target: String, _ body: [UInt8] = [], headers: String = "")
    throws -> ArraySlice<UInt8>
  {
    try send(method, target, body, headers: headers)
    let (status, length) = try readHead()
    let text = try read(length)
    guard status == 200 else {
      throw BenchError(
        "\(method) \(target.prefix(60)): \(status) \(String(decoding: text, as: UTF8.self))")
    }
    return text
  }

  /// Sends a request whose answer never ends and reads its head.
  func stream(_ target: String, headers: String) throws {
    try send("GET", target, [], headers: headers)
    _ = try readHead()
  }

  private func send(_ method: String, _ target: String, _ body: [UInt8], headers: String) throws {
    var bytes = Array(
      "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: \(body.count)\r\n\(headers)\r\n"
        .utf8)
    bytes += body
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(socket, $0.baseAddress! + sent, bytes.count - sent)
      }
      guard count > 0 else { throw BenchError("the server closed the connection") }
      sent += count
    }
  }

  private func readHead() throws -> (status: Int, length: Int) {
    let status = try readLine().split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    var length = 0
    while case let line = try readLine(), !line.isEmpty {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts[0].lowercased() == "content-length" {
        length = Int(parts[1].trimmingCharacters(in: .whitespaces)) ?? 0
      }
    }
    return (status, length)
  }

  func readLine() throws -> String {
    var scanned = start
    while true {
      if let end = buffer[scanned...].firstIndex(of: 10) {
        let line = buffer[start..<end]
        start = end + 1
        return String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
      }
      let offset = buffer.count - start
      try fill()
      scanned = start + offset
    }
  }

  private func read(_ length: Int) throws -> ArraySlice<UInt8> {
    while buffer.count - start < length { try fill() }
    defer { start += length }
    return buffer[start..<start + length]
  }

  private func fill() throws {
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    let old = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: 1 << 16))
    let count = buffer.withUnsafeMutableBytes { Glibc.read(socket, $0.baseAddress! + old, 1 << 16) }
    buffer.removeLast((1 << 16) - max(0, count))
    guard count > 0 else { throw BenchError("the server closed the connection") }
  }
}
