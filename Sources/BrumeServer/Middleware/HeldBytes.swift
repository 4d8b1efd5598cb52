// How much of request bodies is in memory at once, and how much of answers that their clients have not read yet: over
// all connections, of one address, and of one user, whose answers may be for many addresses. Both are large, and
// connections many.

package import BrumeModel
import Synchronization

/// Counts the bytes of request bodies, of their values, or of answers. One of each for each server.
package final class HeldBytes: Sendable {
  /// Of the bodies of requests.
  package static func ofBodies(_ limits: Limits) -> HeldBytes {
    HeldBytes(
      most: limits.bodyBytesAtOnce, mostOfOne: limits.bodyBytesAtOncePerAddress,
      refusal:
        "too much of request bodies is in memory at once; send smaller batches, one after the "
        + "other, or try again later")
  }

  /// Of what is read out of bodies, by how many values that is, until their requests are done: half as much as of bodies
  /// in all. No user has all of an address, and room is there for the first request of everybody, whatever others hold.
  package static func ofValues(_ limits: Limits) -> HeldBytes {
    HeldBytes(
      most: limits.bodyBytesAtOnce / 2, mostOfOne: limits.bodyBytesAtOncePerAddress,
      mostOfUser: limits.bodyBytesAtOncePerAddress / 2, takesFirst: true,
      refusal:
        "too many values of request bodies are in memory at once; send smaller batches, one after "
        + "the other, or try again later")
  }

  /// Of answers that are large.
  package static func ofAnswers(_ limits: Limits) -> HeldBytes {
    HeldBytes(
      most: limits.answerBytesAtOnce, mostOfOne: limits.answerBytesAtOncePerAddress,
      mostOfUser: largeOfUser(limits),
      refusal: unread("large answers"))
  }

  /// Ours: answers, and values of a body, of fewer bytes are not counted. A stream of HTTP/2 takes about as much without.
  package static let countedBytes = 16_384

  /// Of answers that are not large, half as much: so these are not refused because of large ones, which may take minutes.
  /// A connection of HTTP/2 may have many of them on their way. No user has all of an address, and one is there for
  /// everybody, whatever others hold.
  package static func ofSmallAnswers(_ limits: Limits) -> HeldBytes {
    HeldBytes(
      most: limits.answerBytesAtOnce / 2, mostOfOne: limits.answerBytesAtOncePerAddress / 2,
      mostOfUser: limits.answerBytesAtOncePerAddress / 4, takesFirst: true,
      refusal: unread("answers"))
  }

  /// Of files on their way to one address or user. In all there may be as many as connections.
  package static func ofFiles(_ limits: Limits) -> HeldBytes {
    HeldBytes(
      most: .max, mostOfOne: limits.answerBytesAtOncePerAddress, mostOfUser: largeOfUser(limits),
      refusal: unread("files"))
  }

  /// Of large answers as much as two of the largest, or one with all its numbers as texts, which are up to twice as long. No
  /// user has all of an address.
  private static func largeOfUser(_ limits: Limits) -> Int {
    min(limits.answerBytesAtOncePerAddress, limits.answerBytes * 9 / 4)
  }

  private static func unread(_ what: String) -> String {
    "too much of \(what) is in memory until it is read; read those that are on their way, ask for "
      + "less at once, or try again later"
  }

  private struct State {
    var all = 0
    /// By address, and by user.
    var owners: [String: Int] = [:]

    mutating func add(_ count: Int, of names: [String]) {
      all += count
      for name in names {
        let left = owners[name, default: 0] + count
        owners[name] = left > 0 ? left : nil
      }
    }
  }
  private let most: Int
  private let mostOfOne: Int
  private let mostOfUser: Int
  private let takesFirst: Bool
  private let refusal: String
  private let state = Mutex(State())

  /// - Parameters:
  ///   - most: bytes of all together.
  ///   - mostOfOne: bytes of one address, or of one user.
  ///   - mostOfUser: bytes of one user, if that is less.
  ///   - takesFirst: whether there is room for the first of an address and user that hold nothing, whatever others hold.
  ///   - refusal: the sentence of those for which there is no room.
  package init(
    most: Int, mostOfOne: Int, mostOfUser: Int? = nil, takesFirst: Bool = false, refusal: String
  ) {
    self.most = most
    self.mostOfOne = mostOfOne
    self.mostOfUser = mostOfUser ?? mostOfOne
    self.takesFirst = takesFirst
    self.refusal = refusal
  }

  /// Bytes that are held now.
  package var held: Int { state.withLock { $0.all } }

  /// Room for the body or the answer of one request.
  ///
  /// - Parameter user: who asked, once that is known.
  package func share(of address: String, and user: String? = nil) -> Share {
    Share(memory: self, owners: [address] + (user.map { ["user \($0)"] } ?? []))
  }

  /// What one request holds of it, until it gives it back or is forgotten.
  package final class Share: Sendable {
    private let memory: HeldBytes
    private let owners: [String]
    private let bytes = Mutex(0)

    fileprivate init(memory: HeldBytes, owners: [String]) {
      self.memory = memory
      self.owners = owners
    }

    deinit { giveBack() }

    /// - Throws: `RefusedRequest` if there is no room for so many bytes more.
    package func take(_ count: Int) throws {
      try memory.take(count, of: owners)
      bytes.withLock { $0 += count }
    }

    /// It is so many bytes, whatever was thought before.
    ///
    /// - Throws: `RefusedRequest` if there is no room for them; then it is what it was.
    package func fit(_ count: Int) throws {
      try bytes.withLock { held in
        // Most requests hold nothing, and give that back twice.
        guard count != held else { return }
        try memory.exchange(held, for: count, of: owners)
        held = count
      }
    }

    /// It is so many bytes, or as many as one user may have if that is less: a request that is alone has room, however
    /// large it is.
    ///
    /// - Throws: `TRY_AGAIN_LATER` if there is no room beside others; then it is what it was.
    package func fitOrFill(_ count: Int) throws(BrumeError) {
      let some = min(count, memory.mostOfUser)
      guard (try? fit(some)) != nil else { throw memory.refused.error }
    }

    /// The bytes are no longer kept.
    package func giveBack() { try? fit(0) }
  }

  private func take(_ count: Int, of owners: [String]) throws {
    try state.withLock { state in
      guard hasRoom(count, owners, state) else { throw refused }
      state.add(count, of: owners)
    }
  }

  /// Fewer always fit.
  private func exchange(_ held: Int, for count: Int, of owners: [String]) throws {
    try state.withLock { state in
      state.add(-held, of: owners)
      let fits = count <= held || hasRoom(count, owners, state)
      state.add(fits ? count : held, of: owners)
      if !fits { throw refused }
    }
  }

  private var refused: RefusedRequest {
    RefusedRequest(error: BrumeError(.tryAgainLater, refusal, retryAfter: 1))
  }

  private func hasRoom(_ count: Int, _ owners: [String], _ state: State) -> Bool {
    if takesFirst, owners.allSatisfy({ state.owners[$0] == nil }) { return true }
    // The address stands first.
    return state.all + count <= most
      && owners.indices.allSatisfy {
        state.owners[owners[$0], default: 0] + count <= ($0 == 0 ? mostOfOne : mostOfUser)
      }
  }
}
