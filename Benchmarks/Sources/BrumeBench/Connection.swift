// A blocking HTTP/1.1 connection on a plain socket: the cheapest client there is, so that what is
// measured is the server.

import Foundation

#if canImport(Glibc)
  import Glibc
#endif

final class Connection {
  private let socket: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  /// What of the buffer is read and not yet taken.
  private var start = 0
  private var end = 0
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
    let status = try number(in: line(), from: 9)
    var length = 0
    while case let range = try line(), !range.isEmpty {
      if isContentLength(range) { length = number(in: range, from: Self.contentLength.count) }
    }
    return (status, length)
  }

  private static let contentLength = Array("content-length:".utf8)

  private func isContentLength(_ line: Range<Int>) -> Bool {
    let name = Self.contentLength
    guard line.count > name.count, buffer[line.lowerBound] | 0x20 == name[0] else { return false }
    return name.indices.allSatisfy { buffer[line.lowerBound + $0] | 0x20 == name[$0] | 0x20 }
  }

  /// The first digits at or after an offset of a line.
  private func number(in line: Range<Int>, from offset: Int) -> Int {
    var value = 0
    for index in line.dropFirst(offset) {
      let digit = Int(buffer[index]) - 48
      if (0...9).contains(digit) { value = value * 10 + digit } else if value > 0 { break }
    }
    return value
  }

  func readLine() throws -> String { String(decoding: buffer[try line()], as: UTF8.self) }

  /// Where in the buffer the next line is, without its end.
  private func line() throws -> Range<Int> {
    var scanned = 0
    while true {
      let found = buffer.withUnsafeBytes {
        memchr($0.baseAddress! + start + scanned, 10, end - start - scanned)
          .map { [base = $0.baseAddress!] in UnsafeRawPointer($0) - base }
      }
      if let found {
        let line = start..<(found > start && buffer[found - 1] == 13 ? found - 1 : found)
        start = found + 1
        return line
      }
      scanned = end - start
      try fill()
    }
  }

  private func read(_ length: Int) throws -> ArraySlice<UInt8> {
    while end - start < length { try fill() }
    defer { start += length }
    return buffer[start..<start + length]
  }

  private func fill() throws {
    if start == end { (start, end) = (0, 0) }
    if buffer.count - end < 1 << 14 {
      buffer.replaceSubrange(0..<start, with: [])
      (start, end) = (0, end - start)
      buffer.append(contentsOf: repeatElement(0, count: 1 << 16))
    }
    let room = buffer.count - end
    let count = buffer.withUnsafeMutableBytes { Glibc.read(socket, $0.baseAddress! + end, room) }
    guard count > 0 else { throw BenchError("the server closed the connection") }
    end += count
  }
}
