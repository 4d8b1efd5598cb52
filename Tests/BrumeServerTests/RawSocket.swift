// A client that speaks bytes, so that tests can be slower and ruder than any HTTP library allows.

import Dispatch
import Foundation
import NIOCore

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

struct RawSocket: Sendable {
  /// Serial, so that Dispatch gives it a thread of its own: waiting must not hold up the server.
  private let queue = DispatchQueue(label: "raw-socket")
  private let descriptor: Int32

  /// - Parameter address: where the client seems to be; any of 127.0.0.0/8, on Linux.
  init(port: Int, from address: String? = nil) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      // A program that another test starts would inherit it, and the server not notice that it was closed.
      let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
      descriptor = socket(AF_INET, Int32(kind), 0)
    #endif
    if let address {
      let result = try Self.place(address, 0) { bind(descriptor, $0, $1) }
      guard result == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    }
    let result = try Self.place("127.0.0.1", port) { connect(descriptor, $0, $1) }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
    // A test that waits for what never comes fails instead of hanging.
    var timeout = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
  }

  private static func place(
    _ address: String, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    try SocketAddress(ipAddress: address, port: port).withSockAddr { body($0, socklen_t($1)) }
  }

  func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Closes as the end of a process does: nobody is there any more. To be called last.
  func vanish() {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #else
      _ = Glibc.close(descriptor)
    #endif
  }

  /// Says that nothing more will be sent.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Answers whether the other side still takes bytes.
  @discardableResult
  func send(_ text: String) async -> Bool {
    await onQueue {
      let bytes = Array(text.utf8)
      return Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
  }

  /// Everything until the other side closes; nil if it does not.
  func readToEnd() async -> String? {
    await read { _ in false }
  }

  /// Reads until the text so far satisfies `condition`; nil if it never does.
  func read(until condition: @escaping @Sendable (String) -> Bool) async -> String? {
    await onQueue {
      var text: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 4096)
      // Heartbeats must not keep a test waiting for what never comes.
      let end = ContinuousClock.now + .seconds(300)
      while ContinuousClock.now < end {
        let count = recv(descriptor, &block, block.count, 0)
        // A reset is an end too.
        if count < 0 { return errno == EAGAIN ? nil : String(decoding: text, as: UTF8.self) }
        if count == 0 { return String(decoding: text, as: UTF8.self) }
        text += block[..<count]
        let read = String(decoding: text, as: UTF8.self)
        if condition(read) { return read }
      }
      return nil
    }
  }

  private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }
}
