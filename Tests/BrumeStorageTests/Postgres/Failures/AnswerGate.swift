// The way of a server's answers to its client, which can be closed.

import Synchronization

final class AnswerGate: Sendable {
  private struct State {
    var isCut = false
    /// What is done with the next answer that says the server is ready.
    var then: (passes: Bool, action: @Sendable () -> Void)?
  }
  private let state = Mutex(State())

  var isCut: Bool { state.withLock { $0.isCut } }

  /// From now on no answer gets through.
  ///
  /// - Parameter action: when the server has answered.
  func cut(then action: @escaping @Sendable () -> Void = {}) {
    state.withLock { state in
      state.isCut = true
      state.then = (false, action)
    }
  }

  /// Does something after the server's next answer has passed.
  func whenReady(_ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.then = (true, action) }
  }

  /// Until the server ends.
  func forward(from server: Int32, to client: Int32) {
    while true {
      let bytes = Sockets.read(server)
      if bytes.isEmpty { break }
      let isReady = Self.endsAnswer(bytes)
      let (passes, action) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
        let passes = !state.isCut
        guard isReady, let then = state.then else { return (passes, nil) }
        state.then = nil
        return (passes, then.action)
      }
      if passes { Sockets.write(bytes, to: client) }
      action?()
    }
    if !isCut { Sockets.end(client) }
  }

  /// Whether the last message is "ready for query": a letter, the length 5, the state.
  private static func endsAnswer(_ bytes: [UInt8]) -> Bool {
    bytes.suffix(6).prefix(5).elementsEqual([UInt8(ascii: "Z"), 0, 0, 0, 5])
  }
}
