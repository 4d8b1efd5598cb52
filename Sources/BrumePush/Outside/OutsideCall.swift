// One HTTP call to the outside, and its answer: what channels deal in, so that tests answer without a
// socket.

import BrumeDelivery
package import BrumeModel

/// A POST to somebody else's server.
package struct OutsideCall: Equatable, Sendable {
  /// A header field of the call.
  package struct Header: Equatable, Sendable {
    package let name: String
    package let value: String
  }
  /// A secret for Web Push: never logged.
  package var url: String
  /// The name in the URL and the address to call instead of looking it up; nil looks it up.
  package var pinned: Pin?
  /// Calls of different accounts share no connection.
  package var account = ""
  package var headers: [Header] = []
  package var body: [UInt8]

  /// A name, and the address that was checked for it.
  package struct Pin: Equatable, Sendable {
    /// The name in the URL.
    package let host: String
    /// Where the connection goes, whatever the name leads to now.
    package let address: IPAddress

    package init(host: String, address: IPAddress) {
      self.host = host
      self.address = address
    }
  }

  package init(url: String, pinned: Pin?, body: [UInt8]) {
    self.url = url
    self.pinned = pinned
    self.body = body
  }

  /// Adds a header.
  package mutating func set(_ name: String, _ value: String) {
    headers.append(Header(name: name, value: value))
  }
  /// The first header of exactly this name.
  package subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// What came back, of which only the needed headers are kept.
package struct OutsideReply: Equatable, Sendable {
  /// The status of the HTTP answer.
  package var status: Int
  /// The header field `Retry-After`, as it came.
  package var retryAfter: String?
  /// The beginning of it.
  package var body: [UInt8]
  package init(status: Int, retryAfter: String? = nil, body: [UInt8] = []) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }

  /// How long `Retry-After` asks to wait, as a number of seconds or until a date (RFC 9110, section
  /// 10.2.3); nil if it says neither. Whoever waits has a bound of their own.
  package func pause(at now: Milliseconds) -> Milliseconds? {
    guard let text = retryAfter else { return nil }
    if let date = HTTPDate.milliseconds(text, now: now) { return max(0, date - now) }
    guard (1...9).contains(text.utf8.count), let seconds = Int64(text), seconds >= 0 else {
      return nil
    }
    return seconds * 1000
  }
}

/// Sends one call. It throws when no answer came.
package typealias OutsideExchange = @Sendable (OutsideCall) async throws -> OutsideReply

/// What a channel answers if no answer came.
enum OutsideFailure {
  /// Another try, with the beginning of what the error says, which names no address.
  ///
  /// - Throws: if nobody waits any more.
  static func answer(_ error: any Error) throws(CancellationError) -> ChannelAnswer {
    if Task.isCancelled { throw CancellationError() }
    return ChannelAnswer(
      .retry(after: nil), reason: "no answer: \(String(describing: error).prefix(120))")
  }
}
