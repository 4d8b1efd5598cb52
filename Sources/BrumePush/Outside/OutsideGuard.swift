// May the server call this URL for somebody who is not its operator? Asked when a URL is registered and
// again before every call, with the addresses that the name has then; the call goes to the address that
// was checked (server-side request forgery; docs/operating/web-push.md).

package import BrumeModel

/// Which URLs may be called, and at which address.
package struct OutsideGuard: Sendable {
  /// The addresses of a name.
  package typealias Resolve = @Sendable (String) async throws -> [IPAddress]

  /// A URL that may be called, at this address only.
  package struct Target: Equatable, Sendable {
    /// What the call is for.
    package let url: PushURL
    /// The address to call: the one that was checked.
    package let address: IPAddress

    /// A call that goes there, whatever the name leads to by then.
    func call(_ body: [UInt8]) -> OutsideCall {
      OutsideCall(
        url: url.text, pinned: OutsideCall.Pin(host: url.pinName, address: address), body: body)
    }
  }

  private let allowed: Set<String>
  private let setting: String
  private let timeIsUp: @Sendable () async throws -> Void
  private let resolve: Resolve
  /// Of each user.
  private let turns = Turns(perName: NameTurns.perDomain)

  /// - Parameters:
  ///   - allowed: hosts (or `host:port`) of the operator's own that may be called whatever their
  ///     scheme, port and address.
  ///   - setting: where the operator names them.
  ///   - timeIsUp: returns when whoever looks a name up for a user waits no longer.
  package init(
    allowed: [String], setting: String = "--push-allow",
    timeIsUp: @escaping @Sendable () async throws -> Void = { throw CancellationError() },
    resolve: @escaping Resolve
  ) {
    self.allowed = Set(allowed.map { $0.lowercased() })
    self.setting = setting
    self.timeIsUp = timeIsUp
    self.resolve = resolve
  }

  /// - Parameter user: who named the URL, and waits while many of their names are looked up; nil: the operator.
  /// - Throws: `badRequest` that says why not.
  package func target(
    _ text: String, for user: UserID? = nil
  ) async throws(BrumeError) -> Target {
    let url = try PushURL(text)
    let isOwn = allowed.contains(url.hostText) || allowed.contains("\(url.hostText):\(url.port)")
    if !isOwn {
      guard url.isEncrypted else { throw refused("must begin with https://") }
      guard url.port == 443 else { throw refused("may use no port but 443") }
    }
    let addresses = try await addresses(url, user)
    // One text for both: whether a name means something on the operator's own network is nobody's business.
    guard let first = addresses.first, isOwn || addresses.allSatisfy(\.isPublic) else {
      let host = NameRules.shown(url.hostText)
      throw refused("has the host '\(host)', which the open Internet does not have: check its name")
    }
    return Target(url: url, address: first)
  }

  private func addresses(
    _ url: PushURL, _ user: UserID?
  ) async throws(BrumeError) -> [IPAddress] {
    switch url.host {
    case .address(let address): return [address]
    case .name(let name):
      do {
        guard let user else { return try await resolve(name) }
        return try await lookUp(name, for: user)
      } catch {
        throw BrumeError(
          .tryAgainLater,
          "the URL's host cannot be looked up now; try again later, or check its name")
      }
    }
  }

  /// What waits keeps a send under way, and there is a bound on those for all. A lookup that has begun cannot be ended:
  /// it keeps its turn, and nobody waits for it.
  private func lookUp(_ name: String, for user: UserID) async throws -> [IPAddress] {
    let (ends, end) = AsyncStream.makeStream(of: Result<[IPAddress], any Error>.self)
    let lookUp = Task {
      do {
        end.yield(.success(try await turns.take(user.name) { try await resolve(name) }))
      } catch { end.yield(.failure(error)) }
    }
    let timer = Task {
      try await timeIsUp()
      end.finish()
    }
    defer {
      lookUp.cancel()
      timer.cancel()
    }
    for await first in ends { return try first.get() }
    throw CancellationError()
  }

  private func refused(_ why: String) -> BrumeError {
    BrumeError(
      .badRequest,
      "the URL \(why); the server's operator can allow a host of its own with \(setting)")
  }
}
