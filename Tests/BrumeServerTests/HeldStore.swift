// A store that stops where a test wants it to: calls wait, or keep their thread, until they are let go.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Synchronization

@testable import BrumeServer

final class HeldStore: WrappingStore {
  /// What a test sees of a call that is stopped.
  enum Event: Equatable, Sendable { case stopped, cancelled }
  /// How a call stops: its task waits, or its thread.
  enum Manner: Sendable { case waits, blocks }
  /// Whose call it is. The server's services ask the store too.
  enum Work: Sendable { case requests, notifier, delivery }

  private struct Stops {
    var read: (manner: Manner, isMeant: @Sendable () -> Bool)?
    var write: (manner: Manner, work: Work)?
    /// Each call keeps its thread, whoever asks.
    var everything = false
  }

  let inner: any Store
  private let stops = Mutex(Stops())
  private let readCount = Mutex(0)
  private let gates = Mutex<[AsyncStream<Void>.Continuation]>([])
  private let thread = DispatchSemaphore(value: 0)
  private let announce: AsyncStream<Event>.Continuation
  /// One for each call that was stopped, one more if it was cancelled.
  let events: AsyncStream<Event>

  init(_ inner: any Store) {
    self.inner = inner
    (events, announce) = AsyncStream.makeStream()
  }

  /// Reads of requests.
  var reads: Int { readCount.withLock { $0 } }

  /// The next of a request, of those for which `isMeant` says so.
  func stopNextRead(
    _ manner: Manner = .waits, where isMeant: @escaping @Sendable () -> Bool = { true }
  ) {
    stops.withLock { $0.read = (manner, isMeant) }
  }
  func stopNextWrite(_ manner: Manner = .waits, of work: Work = .requests) {
    stops.withLock { $0.write = (manner, work) }
  }
  /// As a disk that does not answer any more.
  func stopEverything() { stops.withLock { $0.everything = true } }

  /// Waits until a call does what is said.
  func happens(_ event: Event) async -> Bool {
    for await seen in events where seen == event { return true }
    return false
  }

  /// Whoever is stopped goes on; what comes later is not stopped by `blocks` any more.
  func letGo() {
    stops.withLock { $0 = Stops() }
    for gate in gates.withLock({ $0 }) { gate.finish() }
    thread.signal()
  }

  private func stop(_ manner: Manner?) async throws {
    guard let manner else { return }
    switch manner {
    case .blocks:
      announce.yield(.stopped)
      block()
    case .waits:
      let (gate, opener) = AsyncStream<Void>.makeStream()
      // Before anybody sees it: who sees it may let go at once.
      gates.withLock { $0.append(opener) }
      announce.yield(.stopped)
      for await _ in gate {}
      guard Task.isCancelled else { return }
      announce.yield(.cancelled)
      throw CancellationError()
    }
  }

  private static var isOfRequest: Bool { RequestWork.current != nil }

  /// Nil: somebody else's.
  private static func work(_ scope: WriteScope) -> Work? {
    if isOfRequest { return .requests }
    if scope == .server { return .delivery }
    let isOfNotifier = scope.parts.contains { if case .notifier = $0 { true } else { false } }
    return isOfNotifier ? .notifier : nil
  }

  /// Who goes on lets the next one go on.
  private func block() {
    thread.wait()
    thread.signal()
  }

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    let isOfRequest = Self.isOfRequest
    if isOfRequest { readCount.withLock { $0 += 1 } }
    let manner = stops.withLock { stops -> Manner? in
      if stops.everything { return .blocks }
      guard isOfRequest, let read = stops.read, read.isMeant() else { return nil }
      stops.read = nil
      return read.manner
    }
    try await stop(manner)
    return try await inner.read(plan, body)
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    let work = Self.work(scope)
    let manner = stops.withLock { stops -> Manner? in
      if stops.everything { return .blocks }
      guard let write = stops.write, write.work == work else { return nil }
      stops.write = nil
      return write.manner
    }
    try await stop(manner)
    return try await inner.write(in: scope, reading: plan, body)
  }
}

/// A server on such a store, running.
struct HeldServer: Sendable {
  let fixture: ServerFixture
  let store: HeldStore
  let port: Int

  static func live(
    _ adjust: (inout Settings) -> Void = { _ in },
    _ body: @escaping @Sendable (HeldServer) async throws -> Void
  ) async throws {
    let made = Mutex<HeldStore?>(nil)
    let fixture = try await ServerFixture(
      adjust,
      wrapping: { inner in
        let store = HeldStore(inner)
        made.withLock { $0 = store }
        return store
      },
      // What is held here keeps threads, which tests beside it wait for.
      workers: Workers(threads: 6, perLane: 2))
    let store = made.withLock { $0! }
    try await fixture.live { port in
      // Whatever a test forgot ends with it.
      defer { store.letGo() }
      try await body(HeldServer(fixture: fixture, store: store, port: port))
    }
  }

  func connect() throws -> RawSocket { try RawSocket(port: port) }

  func post(_ endpoint: String, _ body: String = "{}", as user: String? = "alice") -> String {
    let target = "\(fixture.path(endpoint))?\(fixture.credentials(user))"
    return
      "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// A call of an operator.
  ///
  /// - Parameter token: nil: the owner's.
  func admin(_ method: String, _ path: String, _ body: String = "", token: String? = nil) -> String
  {
    "\(method) /_brume/admin/\(path) HTTP/1.1\r\nHost: localhost\r\n"
      + "Authorization: Bearer \(token ?? fixture.server.adminToken)\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// One request on a connection of its own: everything until the answer's end.
  func answer(_ request: String) async throws -> String {
    let socket = try connect()
    defer { socket.close() }
    await socket.send(request)
    return await socket.read { Self.isWhole($0) } ?? ""
  }

  /// Whether a text holds an answer with its whole body.
  static func isWhole(_ text: String) -> Bool {
    guard let end = text.range(of: "\r\n\r\n") else { return false }
    let head = text[..<end.lowerBound].lowercased()
    guard let field = head.range(of: "content-length: ") else { return false }
    let length = Int(head[field.upperBound...].prefix { $0.isNumber }) ?? 0
    return text[end.upperBound...].utf8.count >= length
  }
}
