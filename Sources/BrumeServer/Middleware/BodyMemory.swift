// How much of request bodies is in memory at once, over all connections and of one address: bodies are
// large, and connections many.

import BrumeModel
import Synchronization

/// Counts the bytes of request bodies. One for each server.
package final class BodyMemory: Sendable {
  /// Answers 503 and closes the connection: the rest of the body is not read.
  struct Full: Error {
    let error = BrumeError(
      .tryAgainLater,
      "too much of request bodies is in memory at once; send smaller batches, one after the other, or "
        + "try again later", retryAfter: 1)
  }

  private struct State {
    var all = 0
    var addresses: [String: Int] = [:]
  }
  private let most: Int
  private let mostOfOne: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - most: bytes of all bodies together.
  ///   - mostOfOne: bytes of bodies from one address.
  package init(most: Int, mostOfOne: Int) {
    self.most = most
    self.mostOfOne = mostOfOne
  }

  /// Bytes that are held now.
  package var held: Int { state.withLock { $0.all } }

  /// Room for the body of one request.
  package func share(of address: String) -> Share { Share(memory: self, address: address) }

  /// What one request holds of it.
  package final class Share: Sendable {
    private let memory: BodyMemory
    private let address: String
    private let bytes = Mutex(0)

    fileprivate init(memory: BodyMemory, address: String) {
      self.memory = memory
      self.address = address
    }

    /// - Throws: `Full` if there is no room for so many bytes more.
    package func take(_ count: Int) throws {
      try memory.take(count, of: address)
      bytes.withLock { $0 += count }
    }

    /// The body is no longer kept.
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
      guard state.all + count <= most, own <= mostOfOne else { throw Full() }
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
