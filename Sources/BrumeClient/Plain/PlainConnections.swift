// Connections that stay open between requests, and how many a program has to one server at once. Who comes then waits
// for a turn.

import NIOCore
import Synchronization

final class PlainConnections: Sendable {
  private typealias Turn = CheckedContinuation<Void, any Error>
  private struct Peer {
    var idle: [(connection: PlainConnection, end: Scheduled<Void>)] = []
    var used = 0
    /// In the order of coming. A number distinguishes one who waits from another who gave up.
    var waiting: [(number: Int, turn: Turn)] = []
  }
  private struct State {
    var peers: [PlainAddress: Peer] = [:]
    var lastNumber = 0
  }
  /// Ours: servers close what is idle after a minute and more.
  private static let idleLimit = TimeAmount.seconds(50)
  private static let connectLimit = TimeAmount.seconds(10)
  private let most: Int
  let stall: TimeAmount?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - most: connections to one server.
  ///   - stall: a transfer that does not move for so long is given up.
  init(most: Int, stall: TimeAmount? = nil) {
    self.most = most
    self.stall = stall
  }

  /// Runs a request on a connection, which others get afterwards if `body` says that it has been left in order.
  func use<Answer>(
    _ address: PlainAddress,
    _ body: (PlainConnection) async throws -> (answer: Answer, mayBeReused: Bool)
  ) async throws -> Answer {
    try await wait(for: address)
    var kept: PlainConnection?
    defer { leave(address, kept) }
    let connection = try await connection(to: address)
    do {
      let (answer, mayBeReused) = try await withTaskCancellationHandler {
        try await body(connection)
      } onCancel: {
        connection.close()
      }
      if mayBeReused, connection.isOpen { kept = connection } else { connection.close() }
      return answer
    } catch {
      connection.close()
      try Task.checkCancellation()
      throw error
    }
  }

  private func connection(to address: PlainAddress) async throws -> PlainConnection {
    while let idle = state.withLock({ $0.peers[address]?.idle.popLast() }) {
      idle.end.cancel()
      if idle.connection.isOpen { return idle.connection }
    }
    return try await PlainConnection.open(
      to: address, within: Self.connectLimit, givenUpAfter: stall)
  }

  // MARK: Turns

  private func wait(for address: PlainAddress) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { turn in
        if take(address, number, turn) { turn.resume() }
        // A cancellation that came before found nobody who waits.
        if Task.isCancelled { giveUp(number, address) }
      }
    } onCancel: {
      giveUp(number, address)
    }
  }

  /// False: the turn waits.
  private func take(_ address: PlainAddress, _ number: Int, _ turn: Turn) -> Bool {
    state.withLock { state in
      var peer = state.peers[address] ?? Peer()
      defer { state.peers[address] = peer }
      guard peer.used < most else {
        peer.waiting.append((number, turn))
        return false
      }
      peer.used += 1
      return true
    }
  }

  private func giveUp(_ number: Int, _ address: PlainAddress) {
    let turn = state.withLock { state -> Turn? in
      guard let place = state.peers[address]?.waiting.firstIndex(where: { $0.number == number })
      else { return nil }
      return state.peers[address]?.waiting.remove(at: place).turn
    }
    turn?.resume(throwing: CancellationError())
  }

  /// The next one has the turn, and perhaps the connection.
  private func leave(_ address: PlainAddress, _ connection: PlainConnection?) {
    let next = state.withLock { state -> Turn? in
      var peer = state.peers[address] ?? Peer()
      if let connection {
        peer.idle.removeAll { !$0.connection.isOpen }
        peer.idle.append((connection, end(connection, address)))
      }
      let next = peer.waiting.isEmpty ? nil : peer.waiting.removeFirst().turn
      if next == nil { peer.used -= 1 }
      state.peers[address] = peer.used == 0 && peer.idle.isEmpty ? nil : peer
      return next
    }
    next?.resume()
  }

  /// Closes the connection when it has been idle for long; whoever takes it before cancels that.
  private func end(_ connection: PlainConnection, _ address: PlainAddress) -> Scheduled<Void> {
    connection.close(whenIdleFor: Self.idleLimit) { [weak self] in
      guard let self else { return true }
      return self.state.withLock { state in
        let idle = state.peers[address]?.idle ?? []
        guard let place = idle.firstIndex(where: { $0.connection === connection }) else {
          return false
        }
        state.peers[address]?.idle.remove(at: place)
        return true
      }
    }
  }
}
