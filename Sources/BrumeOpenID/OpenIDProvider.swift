// This talks to an OpenID Connect provider: it reads what it says about itself, and exchanges a code for an ID
// token. Whether that token proves anything is decided by BrumeCore/Auth/OpenID/IDTokenRules.swift.
//
// The provider's document and keys are remembered for an hour. A token that may be signed with a new key makes
// us read the keys again, at most once a minute: providers change keys, and unknown callers send anything.

import AsyncHTTPClient
package import BrumeCore
package import BrumeModel
import BrumeWire
import NIOCore
import NIOHTTP1
import Synchronization

/// One provider, asked over HTTPS. For calls from any thread.
package final class OpenIDProvider: Sendable {
  private struct Known: Sendable {
    var document: ProviderDocument?
    var documentRead: Milliseconds?
    var keys: [ProviderKey] = []
    var keysRead: Milliseconds?
    var keysForced: Milliseconds?
    /// It did not answer: it is not asked again for a while.
    var silentSince: Milliseconds?
  }
  /// Ours: how long a connection may take to open, a part of the time for the whole answer, which
  /// `Limits` has.
  private static let connectTime = TimeAmount.seconds(5)
  /// Sends a request, and answers the status and the body. It throws if they are not there within the time, or are more bytes.
  typealias Exchange =
    @Sendable (HTTPClientRequest, _ time: TimeAmount, _ most: Int) async throws -> Answer
  typealias Answer = (status: Int, body: ByteBuffer)
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.timeout.connect = connectTime
    configuration.redirectConfiguration = .disallow
    return HTTPClient(
      eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
  }()

  package let settings: ProviderSettings
  private let limits: Limits
  private let host: Host
  private let exchange: Exchange
  private let known = Mutex(Known())
  private let documentReads = SharedWork()
  private let keyReads = SharedWork()
  private let newKeyReads = SharedWork()

  /// - Throws: when the discovery address is not one that may be trusted.
  package convenience init(settings: ProviderSettings, limits: Limits, host: Host) throws {
    try self.init(settings: settings, limits: limits, host: host) { request, time, most in
      try await Self.inTime(time) {
        let answer = try await Self.client.execute(request, timeout: time)
        return (Int(answer.status.code), try await answer.body.collect(upTo: most))
      }
    }
  }

  /// The client's own time ends with an answer's head, and what comes behind it may trickle.
  private static func inTime(
    _ time: TimeAmount, _ exchange: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    let timer = client.eventLoopGroup.any().scheduleTask(in: time) {}
    return try await withThrowingTaskGroup(of: Answer.self) { group in
      group.addTask(operation: { try await exchange() })
      group.addTask(operation: {
        try await timer.futureResult.get()
        throw HTTPClientError.deadlineExceeded
      })
      defer {
        timer.cancel()
        group.cancelAll()
      }
      guard let first = try await group.next() else { throw HTTPClientError.deadlineExceeded }
      return first
    }
  }

  /// - Parameter exchange: what there is instead of a network, in tests.
  init(
    settings: ProviderSettings, limits: Limits, host: Host, exchange: @escaping Exchange
  ) throws {
    self.settings = settings
    self.limits = limits
    self.host = host
    self.exchange = exchange
    try ProviderAddress.check(settings.discoveryURL, what: "the discovery address")
    guard settings.discoveryURL.hasSuffix(ProviderAddress.suffix) else {
      throw BrumeError(
        .badRequest,
        "the discovery address '\(settings.discoveryURL)' does not end in \(ProviderAddress.suffix)"
      )
    }
  }

  /// What the provider calls itself: with a subject it is who somebody is.
  ///
  /// - Throws: `tryAgainLater` if the provider does not answer, another `BrumeError` if what it says is wrong.
  package func issuer() async throws -> String { try await document().issuer }

  /// Where a browser goes to sign in.
  ///
  /// - Throws: as `issuer`.
  package func authorizationURL(
    _ request: AuthorizationRequest, redirectURI: String
  ) async throws -> String {
    let document = try await document()
    return FormText.address(
      document.authorizationEndpoint,
      adding: [
        ("response_type", "code"), ("client_id", settings.clientID),
        ("redirect_uri", redirectURI), ("scope", "openid profile email"),
        ("state", request.state), ("nonce", request.nonce),
        ("code_challenge", request.challenge), ("code_challenge_method", "S256"),
      ])
  }

  /// Who came back with a code.
  ///
  /// - Throws: as `issuer`; `authenticationFailed` if the code or the ID token is not good.
  package func claims(
    code: String, verifier: String, nonce: String, redirectURI: String
  ) async throws -> IDToken.Claims {
    let document = try await document()
    let token = try await exchange(
      code: code, verifier: verifier, redirectURI: redirectURI, at: document)
    let rules = IDTokenRules(
      issuer: document.issuer, clientID: settings.clientID, nonce: nonce, limits: limits)
    var keys = try await keys(document)
    if IDTokenRules.mayNeedNewKeys(token, keys: keys) { keys = try await newKeys(document) }
    if let error = rules.obstacle(token, keys: keys, now: host.now()) { throw error }
    return token.claims
  }
}

// MARK: What the provider says about itself

extension OpenIDProvider {
  private func document() async throws -> ProviderDocument {
    if let document = recentDocument { return document }
    try await documentReads.run { if recentDocument == nil { try await readDocument() } }
    guard let document = known.withLock(\.document) else { throw Self.silent }
    return document
  }

  private var recentDocument: ProviderDocument? {
    let now = host.now()
    return known.withLock { known in
      Self.isRecent(known.documentRead, limits.providerKeysLifetime, now) ? known.document : nil
    }
  }

  private func readDocument() async throws {
    let json = try await read(settings.discoveryURL)
    let now = host.now()
    do {
      let document = try checked(Wire.providerDocument(json))
      known.withLock { known in
        known.document = document
        known.documentRead = now
      }
    } catch {
      // Else each sign-in would ask again.
      known.withLock { $0.silentSince = now }
      throw error
    }
  }

  private func checked(_ document: ProviderDocument) throws -> ProviderDocument {
    guard document.issuer.trimmedSlash + ProviderAddress.suffix == settings.discoveryURL else {
      throw BrumeError(
        .internalError, "the provider calls itself '\(document.issuer)', which is not its address")
    }
    for address in [document.authorizationEndpoint, document.tokenEndpoint, document.keysURL] {
      try ProviderAddress.check(address, what: "an address of the provider's document")
    }
    return document
  }

  private func keys(_ document: ProviderDocument) async throws -> [ProviderKey] {
    if let keys = recentKeys { return keys }
    try await keyReads.run { if recentKeys == nil { try await readKeys(document) } }
    return known.withLock(\.keys)
  }

  private var recentKeys: [ProviderKey]? {
    let now = host.now()
    return known.withLock { known in
      Self.isRecent(known.keysRead, limits.providerKeysLifetime, now) ? known.keys : nil
    }
  }

  private func readKeys(_ document: ProviderDocument) async throws {
    let json = try await read(document.keysURL)
    let now = host.now()
    let keys: [ProviderKey]
    do { keys = try Wire.providerKeys(json, most: limits.providerKeys) } catch {
      // Else each sign-in would ask again.
      known.withLock { $0.silentSince = now }
      throw error
    }
    known.withLock { known in
      known.keys = keys
      known.keysRead = now
    }
  }

  /// The keys for a token that may be signed with a new one. All who ask while they are read wait: by the old keys they
  /// would be refused, and their codes are used up.
  ///
  /// - Throws: `tryAgainLater` if they cannot be read, for the same reason. That they were read is not noted then, nor when a
  ///   client goes away.
  private func newKeys(_ document: ProviderDocument) async throws -> [ProviderKey] {
    try await newKeyReads.run {
      let now = host.now()
      guard !known.withLock({ Self.isRecent($0.keysForced, limits.providerKeysPause, now) }) else {
        return
      }
      do {
        try await readKeys(document)
      } catch let error as CancellationError {
        throw error
      } catch {
        throw Self.silent
      }
      known.withLock { $0.keysForced = now }
    }
    return known.withLock(\.keys)
  }

  /// Whether it is less than so long ago. What a clock that was ahead has noted is not: it would stay for as long as
  /// the clock was ahead.
  private static func isRecent(
    _ time: Milliseconds?, _ lifetime: Milliseconds, _ now: Milliseconds
  ) -> Bool {
    time.map { (0..<lifetime).contains(now - $0) } ?? false
  }
}

// MARK: Calls

extension OpenIDProvider {
  private func exchange(
    code: String, verifier: String, redirectURI: String, at document: ProviderDocument
  ) async throws -> IDToken {
    var form = [
      ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI),
      ("code_verifier", verifier),
    ]
    var request = HTTPClientRequest(url: document.tokenEndpoint)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
    if let secret = settings.clientSecret, document.takesBasicAuthentication {
      let pair = "\(FormText.escaped(settings.clientID)):\(FormText.escaped(secret))"
      request.headers.add(
        name: "Authorization", value: "Basic \(Base64.text(Array(pair.utf8)))")
    } else {
      form.append(("client_id", settings.clientID))
      if let secret = settings.clientSecret { form.append(("client_secret", secret)) }
    }
    request.body = .bytes(Array(FormText.text(form).utf8))
    return try Wire.idToken(try await json(request))
  }

  /// What the provider publishes. After a failure nobody's sign-in asks again for a while; a client that went away is
  /// none.
  private func read(_ url: String) async throws -> JSON {
    let asked = host.now()
    if known.withLock({ Self.isRecent($0.silentSince, limits.providerPause, asked) }) {
      throw Self.silent
    }
    do {
      let answer = try await json(HTTPClientRequest(url: url))
      known.withLock { $0.silentSince = nil }
      return answer
    } catch {
      try Task.checkCancellation()
      let now = host.now()
      known.withLock { $0.silentSince = now }
      throw error
    }
  }

  private static let silent = BrumeError(
    .tryAgainLater, "the sign-in provider does not answer; try again later", retryAfter: 10)

  private func json(_ request: HTTPClientRequest) async throws -> JSON {
    var request = request
    request.headers.add(name: "Accept", value: "application/json")
    let answer: Answer
    do {
      answer = try await exchange(
        request, .milliseconds(limits.providerAnswerTime), limits.providerAnswerBytes)
    } catch {
      throw Self.silent
    }
    guard answer.status == 200 else {
      // The codes of RFC 6749 say which of us is wrong; nothing else of the answer is shown.
      let code = (try? JSON(parsing: Array(answer.body.readableBytesView)))?["error"]?.string ?? ""
      throw BrumeError(
        .authenticationFailed,
        "the sign-in provider refused with \(answer.status) \(code.prefix(60))")
    }
    return try JSON(parsing: Array(answer.body.readableBytesView))
  }
}

extension String {
  fileprivate var trimmedSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
