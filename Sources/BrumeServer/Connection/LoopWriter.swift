// The way of an answer's parts from the workers that make them to their connection. Each is handed over on the
// connection's event loop, which says when it has no more room. From another thread NIO takes parts as fast as they are
// made, and keeps them in memory until the loop has come to them.

import HTTPTypes
import HummingbirdCore
import NIOCore

/// Writes where a connection's work belongs, whoever calls it.
struct LoopWriter: ResponseBodyWriter {
  private var inner: any ResponseBodyWriter
  private let loop: any TaskExecutor

  init(_ inner: any ResponseBodyWriter, on loop: any TaskExecutor) {
    self.inner = inner
    self.loop = loop
  }

  mutating func write(_ buffer: ByteBuffer) async throws {
    // Nobody else has it: each call ends before the next.
    nonisolated(unsafe) var out = inner
    try await withTaskExecutorPreference(loop) { try await out.write(buffer) }
    inner = out
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
    nonisolated(unsafe) let out = inner
    try await withTaskExecutorPreference(loop) { try await out.finish(trailingHeaders) }
  }
}
