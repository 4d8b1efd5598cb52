// Web auth tokens whose seal is known to be good: one comes with every request of its user, and one
// goes back. Only the seal is remembered; whether a token still counts is decided anew each time.

import BrumeStorage
import Synchronization

final class OpenedSeals: Sendable {
  private struct State {
    var payloads: [ByteText: [UInt8]] = [:]
    var texts: [ByteKey: String] = [:]
  }
  private let limit: Int
  private let state = Mutex(State())

  /// - Parameter limit: tokens that are remembered; beyond it all are forgotten and opened anew.
  init(limit: Int) { self.limit = limit }

  func payload(of text: String, opening: () -> [UInt8]?) -> [UInt8]? {
    let key = ByteText(text)
    if let known = state.withLock({ $0.payloads[key] }) { return known }
    guard let payload = opening() else { return nil }
    keep(payload, key)
    return payload
  }

  func text(of payload: [UInt8], sealing: () -> String) -> String {
    if let known = state.withLock({ $0.texts[ByteKey(payload)] }) { return known }
    let text = sealing()
    keep(payload, ByteText(text))
    return text
  }

  private func keep(_ payload: [UInt8], _ key: ByteText) {
    state.withLock { state in
      if state.payloads.count >= limit { state = State() }
      state.payloads[key] = payload
      state.texts[ByteKey(payload)] = key.text
    }
  }
}
