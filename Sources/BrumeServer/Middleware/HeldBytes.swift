// How much of request bodies is in memory at once, and how much of answers that their clients have not read yet: over
// all connections, and of one address. Both are large, and connections many.

package import BrumeModel
import Synchronization

/// Counts the bytes of request bodies, or of answers. One of each for each server.
package final class HeldBytes: Sendable {
  /// Answers 503 and closes the connection: the rest of a body is not read.
  struct Full: Error {
    let error: BrumeError
  }

  /// Of the bodies of requests.
  package static func ofBodies(_ limits: Limits) -> HeldBytes {
    HeldBytes(
      most: limits.bodyBytesAtOnce, mostOfOne: limits.bodyBytesAtOncePerAddress,
      refusal:
        "too much of request bodies is in memory at once; send smaller batches, one after the "
        + "other, or try again later")
  }

  /// Of answers that are large.
  package static func ofAnswers(_ limits: Limits) -> HeldBytes {
    HeldBytes(
      most: limits.answerBytesAtOnce, mostOfOne: limits.answerBytesAtOncePerAddress,
      refusal:
        "too much of large answers is in memory until it is read; read those that are on their "
        + "way, ask for less at once, or try again later")
  }

  private struct State {
    var all = 0
    var addresses: [String: Int] = [:]
  }
  private let most: Int
  private let mostOfOne: Int
  private let refusal: String
  private let state = Mutex(State())

  /// - Parameters:
  ///   - most: bytes of all together.
  ///   - mostOfOne: bytes of one address.
  ///   - refusal: the sentence of those for which there is no room.
  package init(most: Int, mostOfOne: Int, refusal: String) {
    self.most = most
    self.mostOfOne = mostOfOne
    self.refusal = refusal
  }

  /// Bytes that are held now.
  package var held: Int { state.withLock { $0.all } }

  /// Room for the body or the answer of one request.
  package func share(of address: String) -> Share { Share(memory: self, address: address) }

  /// What one request holds of it, until it gives it back or is forgotten.
  package final class Share: Sendable {
    private let memory: HeldBytes
    private let address: String
    private let bytes = Mutex(0)

    fileprivate init(memory: HeldBytes, address: String) {
      self.memory = memory
      self.address = address
    }

    deinit { giveBack() }

    /// - Throws: `Full` if there is no room for so many bytes more.
    package func take(_ count: Int) throws {
      try memory.take(count, of: address)
      bytes.withLock { $0 += count }
    }

    /// The bytes are no longer kept.
    package func giveBack() {
      let count = bytes.withLock { bytes in
        defer { bytes = 0 }
        return bytes
      }
      memory.give(count, of: address)
    }
  }

  private func take(_ count: Int, of address: String) throws {
    try state.withLock { state in
      let own = state.addresses[address, default: 0] + count
      guard state.all + count <= most, own <= mostOfOne else {
        throw Full(error: BrumeError(.tryAgainLater, refusal, retryAfter: 1))
      }
      state.all += count
      state.addresses[address] = own
    }
  }

  private func give(_ count: Int, of address: String) {
    guard count > 0 else { return }
    state.withLock { state in
      state.all -= count
      let own = state.addresses[address, default: 0] - count
      state.addresses[address] = own > 0 ? own : nil
    }
  }
}
