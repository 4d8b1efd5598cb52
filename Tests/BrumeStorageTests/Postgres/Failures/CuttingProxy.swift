// A wire between a store and its server that breaks where a test says.

import Foundation
import Synchronization

final class CuttingProxy: Sendable {
  /// Where the connection of a write breaks.
  enum Point: CaseIterable, Sendable {
    /// The transaction does not get to the server.
    case beforeAnything
    /// The server has locked and answered.
    case afterFirstExchange
    /// The commit does not get to the server, which still sees its client.
    case commitLost
    /// The server has committed, and its answer does not come back.
    case answerLost
    /// The same, and the client's connection stays.
    case answerHeld
    /// The commit gets to the server when the client is back on another connection.
    case commitLate
  }
  /// One connection through the proxy.
  private struct Wire: Sendable {
    let client: Int32
    let server: Int32

    func cut() {
      Sockets.end(client)
      Sockets.end(server)
    }
  }
  private struct State {
    var point: Point?
    var holdsListening = false
    /// A commit on its way.
    var late: (bytes: [UInt8], server: Int32)?
    var cuts = 0
  }

  let port: UInt16
  private let listener: Int32
  private let server: UInt16
  private let state = Mutex(State())

  /// - Parameter port: of the server.
  init(to port: UInt16) throws {
    server = port
    (listener, self.port) = try Sockets.listen()
    Thread.detachNewThread { [self] in
      while let client = Sockets.accept(listener) { serve(client) }
    }
  }

  /// Cuts the next write there, once.
  func cut(at point: Point) { state.withLock { $0.point = point } }

  /// The answer to the next LISTEN does not come back, and the client's connection stays.
  func holdListening() { state.withLock { $0.holdsListening = true } }

  /// How often it has cut.
  var cuts: Int { state.withLock { $0.cuts } }

  func close() { Sockets.end(listener) }

  private func serve(_ client: Int32) {
    guard let server = try? Sockets.connect(to: server) else { return Sockets.end(client) }
    let wire = Wire(client: client, server: server)
    let answers = AnswerGate()
    Thread.detachNewThread { [self] in forward(wire, answers) }
    Thread.detachNewThread { answers.forward(from: server, to: client) }
  }

  /// From the client to the server.
  private func forward(_ wire: Wire, _ answers: AnswerGate) {
    var batches = ClientBatches()
    while true {
      let bytes = Sockets.read(wire.client)
      if bytes.isEmpty { break }
      for batch in batches.add(bytes) {
        deliverLate()
        pass(batch, wire, answers)
      }
    }
    // A server that is not to notice keeps its side.
    if !answers.isCut { Sockets.end(wire.server) }
  }

  private func pass(_ batch: ClientBatch, _ wire: Wire, _ answers: AnswerGate) {
    if takesListening(batch) { answers.cut() }
    guard let point = take(batch) else { return Sockets.write(batch.bytes, to: wire.server) }
    switch point {
    case .beforeAnything: wire.cut()
    case .afterFirstExchange:
      answers.whenReady { wire.cut() }
      Sockets.write(batch.bytes, to: wire.server)
    case .commitLost:
      answers.cut()
      Sockets.end(wire.client)
    case .answerLost:
      answers.cut { Sockets.end(wire.client) }
      Sockets.write(batch.bytes, to: wire.server)
    case .answerHeld:
      answers.cut()
      Sockets.write(batch.bytes, to: wire.server)
    case .commitLate:
      answers.cut()
      state.withLock { $0.late = (batch.bytes, wire.server) }
      Sockets.end(wire.client)
    }
  }

  /// The point at which the connection is to be cut, if it is here.
  private func take(_ batch: ClientBatch) -> Point? {
    state.withLock { state in
      switch state.point {
      case .beforeAnything, .afterFirstExchange: if !batch.begins { return nil }
      case .commitLost, .answerLost, .answerHeld, .commitLate: if !batch.commits { return nil }
      case nil: return nil
      }
      defer { state.point = nil }
      state.cuts += 1
      return state.point
    }
  }

  private func takesListening(_ batch: ClientBatch) -> Bool {
    state.withLock { state in
      guard state.holdsListening, batch.statements.contains(where: { $0.hasPrefix("LISTEN") })
      else { return false }
      state.holdsListening = false
      state.cuts += 1
      return true
    }
  }

  private func deliverLate() {
    let late = state.withLock { state in
      defer { state.late = nil }
      return state.late
    }
    if let late { Sockets.write(late.bytes, to: late.server) }
  }
}
