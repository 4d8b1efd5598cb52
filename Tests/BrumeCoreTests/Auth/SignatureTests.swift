// Server-to-server signatures (docs/sign-in.md), and one that OpenSSL made.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Crypto
import FoundationEssentials
import Testing

struct SignatureTests {
  private static let vectorKey = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEx2KCl2KvETdgXdQ3FkzMoLjtbwIn
    PIiatgqCRRRiIXJ19cQZ5nJHl0UKVMOlMzfovAlgQ2aMQIehREWcyj+7zg==
    -----END PUBLIC KEY-----
    """
  private static let path = path(of: "query")
  private static let vectorSignature =
    "MEUCIQCqdYunM8vJ5DhP51vu92WBIip++FwE0Wn2g0edDipEPgIgG4ogu5NEGW8sG0faZdt7Wu2wj+nSohbirkVT7x+801M="
  /// 2026-11-20T22:31:01Z
  private static let time: Milliseconds = 1_795_213_861_000

  private static func path(of operation: String) -> String {
    "/database/1/iCloud.org.example.trailbook/development/public/records/\(operation)"
  }

  private func fixture(at time: Milliseconds = time) async throws -> EngineFixture {
    let fixture = try await EngineFixture()
    fixture.server.clock.advance(by: time - fixture.server.clock.now)
    return fixture
  }

  private func authenticate(_ request: SignedRequest, _ fixture: EngineFixture) async throws
    -> Caller
  {
    let caller = try await fixture.engine.authentication.authenticate(
      Credentials(in: TestContainer.development, signature: request, requestID: "r1"))
    try await fixture.engine.authentication.use(request)
    return caller
  }

  private func key(_ pem: String, _ fixture: EngineFixture) async throws -> ServerKey {
    try await fixture.engine.serverKeys.create(
      name: "job", publicKeyPEM: pem, in: TestContainer.development)
  }

  /// Signed as clients do, with the time of the vector unless another is said.
  private static func signed(
    _ path: String, at date: String = "2026-11-20T22:31:01Z",
    by secret: P256.Signing.PrivateKey, _ key: ServerKey
  ) throws -> SignedRequest {
    let hash = Data(SHA256.hash(data: Data())).base64EncodedString()
    let signature = try secret.signature(for: Array("\(date):\(hash):\(path)".utf8))
    return SignedRequest(
      keyID: key.id, date: date, signature: signature.derRepresentation.base64EncodedString(),
      target: path, body: [])
  }

  private func vector(_ key: ServerKey, target: String = path) -> SignedRequest {
    SignedRequest(
      keyID: key.id, date: "2026-11-20T22:31:01Z", signature: Self.vectorSignature,
      target: target, body: Array(#"{"query":{"recordType":"Hike"},"resultsLimit":2}"#.utf8))
  }

  @Test func `a signature made by OpenSSL is accepted and acts as the key's user`() async throws {
    let fixture = try await fixture()
    let key = try await key(Self.vectorKey, fixture)
    let caller = try await authenticate(vector(key), fixture)
    #expect(caller.kind == .serverKey)
    #expect(caller.user == key.user)
    #expect(caller.device == nil)
  }

  @Test func `the path may be signed without the query that was sent`() async throws {
    let fixture = try await fixture()
    let key = try await key(Self.vectorKey, fixture)
    let caller = try await authenticate(vector(key, target: Self.path + "?clientId=x"), fixture)
    #expect(caller.kind == .serverKey)
  }

  @Test(arguments: [Int64(-600_000), 600_000])
  func `a signature is good for ten minutes around its date`(_ skew: Milliseconds) async throws {
    let fixture = try await fixture(at: Self.time + skew)
    let key = try await key(Self.vectorKey, fixture)
    #expect(try await authenticate(vector(key), fixture).kind == .serverKey)
    fixture.server.clock.advance(by: skew.signum())
    let error = try await ruleFailure { try await authenticate(vector(key), fixture) }
    #expect(error.code == .authenticationFailed)
    #expect(error.reason.contains("clock"))
  }

  @Test func `another body, path, date, key or signature fails`() async throws {
    let fixture = try await fixture()
    let key = try await key(Self.vectorKey, fixture)
    let good = vector(key)
    let bad = [
      SignedRequest(
        keyID: good.keyID, date: good.date, signature: good.signature, target: good.target,
        body: good.body + [32]),
      vector(key, target: Self.path(of: "lookup")),
      SignedRequest(
        keyID: good.keyID, date: "2026-11-20T22:31:02Z", signature: good.signature,
        target: good.target, body: good.body),
      SignedRequest(
        keyID: "unknown", date: good.date, signature: good.signature, target: good.target,
        body: good.body),
      SignedRequest(
        keyID: good.keyID, date: good.date, signature: "AAAA", target: good.target,
        body: good.body),
      SignedRequest(
        keyID: good.keyID, date: "yesterday", signature: good.signature, target: good.target,
        body: good.body),
    ]
    for request in bad {
      let error = try await ruleFailure { try await authenticate(request, fixture) }
      #expect(error.code == .authenticationFailed)
    }
  }

  @Test func `a client that signs in another form is refused with the right one`() async throws {
    let fixture = try await fixture()
    let good = vector(try await key(Self.vectorKey, fixture))
    let der = try P256.Signing.ECDSASignature(
      derRepresentation: #require(Data(base64Encoded: good.signature)))
    // What WebCrypto makes, and what JavaScript's toISOString writes.
    let raw = SignedRequest(
      keyID: good.keyID, date: good.date,
      signature: der.rawRepresentation.base64EncodedString(), target: good.target, body: good.body)
    let fraction = SignedRequest(
      keyID: good.keyID, date: "2026-11-20T22:31:01.000Z", signature: good.signature,
      target: good.target, body: good.body)
    for (request, reason) in [(raw, "write r and s in DER"), (fraction, "without a fraction")] {
      let error = try await ruleFailure { try await authenticate(request, fixture) }
      #expect(error.code == .authenticationFailed)
      #expect(error.reason.contains(reason), "\(error.reason)")
    }
  }

  @Test(arguments: ["47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", ""])
  func `an empty body is signed as its hash or as nothing`(_ hash: String) async throws {
    let fixture = try await fixture()
    let secret = P256.Signing.PrivateKey()
    let key = try await key(secret.publicKey.pemRepresentation, fixture)
    let date = "2026-11-20T22:31:01Z"
    let text = "\(date):\(hash):\(Self.path)"
    let signature = try secret.signature(for: Array(text.utf8)).derRepresentation
    let request = SignedRequest(
      keyID: key.id, date: date, signature: signature.base64EncodedString(), target: Self.path,
      body: [])
    #expect(try await authenticate(request, fixture).kind == .serverKey)
  }

  @Test func `a signed request that modifies acts once, however its signature is spelled`()
    async throws
  {
    let fixture = try await fixture()
    let secret = P256.Signing.PrivateKey()
    let key = try await key(secret.publicKey.pemRepresentation, fixture)
    let date = "2026-11-20T22:31:01Z"
    let path = Self.path(of: "modify")
    let body = Array(#"{"operations":[]}"#.utf8)
    let hash = Data(SHA256.hash(data: body)).base64EncodedString()
    let signature = try secret.signature(for: Array("\(date):\(hash):\(path)".utf8))
    func request(_ signature: P256.Signing.ECDSASignature) -> SignedRequest {
      SignedRequest(
        keyID: key.id, date: date,
        signature: signature.derRepresentation.base64EncodedString(), target: path, body: body)
    }
    #expect(try await authenticate(request(signature), fixture).kind == .serverKey)
    let mirrored = try P256.Signing.ECDSASignature(rawRepresentation: mirror(signature))
    for copy in [signature, mirrored] {
      let error = try await ruleFailure { try await authenticate(request(copy), fixture) }
      #expect(error.code == .authenticationFailed)
      #expect(error.reason.contains("used already"))
    }
  }

  @Test func `A4 a copy does nothing after a restart either`() async throws {
    let fixture = try await fixture()
    let secret = P256.Signing.PrivateKey()
    let key = try await key(secret.publicKey.pemRepresentation, fixture)
    let request = try Self.signed(Self.path(of: "modify"), by: secret, key)
    _ = try await authenticate(request, fixture)
    let restarted = try await TestServer(store: fixture.server.store)
    restarted.clock.advance(by: Self.time - restarted.clock.now)
    let error = try await ruleFailure {
      try await restarted.engine.authentication.use(request)
    }
    #expect(error.reason.contains("used already"))
  }

  @Test func `A4 a copy does nothing while another server's clock is ten minutes ahead`()
    async throws
  {
    var limits = Limits.apple
    limits.usedSignatures = 2
    let behind = try await EngineFixture(limits: limits)
    let ahead = try await TestServer(store: behind.server.store, limits: limits)
    behind.server.clock.advance(by: Self.time - 600_000 - behind.server.clock.now)
    ahead.clock.advance(by: Self.time - ahead.clock.now)
    // Whoever needs its place looks for what may be forgotten.
    try await behind.server.store.write(in: .server) {
      _ = try $0.credentials.use(signature: "old", at: 0, after: 0, limit: 2)
    }
    let secret = P256.Signing.PrivateKey()
    let key = try await key(secret.publicKey.pemRepresentation, behind)
    let request = try Self.signed(Self.path(of: "modify"), by: secret, key)
    _ = try await authenticate(request, behind)
    // The last moment in which the request is good, and the other server has forgotten what it may forget.
    for clock in [behind.server.clock, ahead.clock] { clock.advance(by: 1_200_000) }
    let later = try Self.signed(
      Self.path(of: "modify"), at: "2026-11-20T22:51:01Z", by: secret, key)
    try await ahead.engine.authentication.use(later)
    let error = try await ruleFailure { try await authenticate(request, behind) }
    #expect(error.reason.contains("used already"), "\(error.reason)")
  }

  @Test func `when no more signatures can be remembered, modifying has to wait`() async throws {
    var limits = Limits.apple
    limits.usedSignatures = 1
    let fixture = try await EngineFixture(limits: limits)
    fixture.server.clock.advance(by: Self.time - fixture.server.clock.now)
    let secret = P256.Signing.PrivateKey()
    let key = try await key(secret.publicKey.pemRepresentation, fixture)
    func request(_ date: String) throws -> SignedRequest {
      try Self.signed(Self.path(of: "modify"), at: date, by: secret, key)
    }
    _ = try await authenticate(try request("2026-11-20T22:31:01Z"), fixture)
    let second = try request("2026-11-20T22:31:02Z")
    let error = try await ruleFailure { try await authenticate(second, fixture) }
    #expect(error.code == .throttled)
    #expect(error.retryAfter != nil)
  }

  @Test func `one key takes half of the places for used signatures at most`() async throws {
    var limits = Limits.apple
    limits.usedSignatures = 8
    limits.signatureSkew = 500
    let fixture = try await EngineFixture(limits: limits)
    fixture.server.clock.advance(by: Self.time - fixture.server.clock.now)
    func use(_ count: Int, of secret: P256.Signing.PrivateKey, _ key: ServerKey) async throws {
      for number in 0..<count {
        let path = Self.path(of: "modify?number=\(number)")
        _ = try await authenticate(try Self.signed(path, by: secret, key), fixture)
      }
    }
    let (busy, other) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
    let key = try await key(busy.publicKey.pemRepresentation, fixture)
    let error = try await ruleFailure { try await use(5, of: busy, key) }
    #expect(error.code == .throttled && error.retryAfter != nil, "\(error.reason)")
    #expect(error.reason.contains("of this key"), "\(error.reason)")
    let second = try await fixture.engine.serverKeys.create(
      name: "other", publicKeyPEM: other.publicKey.pemRepresentation, in: TestContainer.development)
    try await use(2, of: other, second)
  }

  @Test func `one key takes no more places at several servers than at one`() async throws {
    var limits = Limits.apple
    limits.usedSignatures = 16
    limits.signatureSkew = 500
    let store = TwoServersStore(inner: MemoryStore(coders: .wire))
    let fixture = try await EngineFixture(TestServer(store: store, limits: limits))
    fixture.server.clock.advance(by: Self.time - fixture.server.clock.now)
    let secret = P256.Signing.PrivateKey()
    let key = try await key(secret.publicKey.pemRepresentation, fixture)
    func use(_ number: Int) async throws {
      let path = Self.path(of: "modify?number=\(number)")
      _ = try await authenticate(try Self.signed(path, by: secret, key), fixture)
    }
    for number in 0..<2 { try await use(number) }
    let error = try await ruleFailure { try await use(2) }
    #expect(error.code == .throttled && error.reason.contains("of this key"), "\(error.reason)")
  }

  @Test func `a server key reaches the public database only`() async throws {
    let fixture = try await fixture()
    let caller = try await authenticate(vector(try await key(Self.vectorKey, fixture)), fixture)
    try await fixture.save(.create("p1"), in: .public, as: caller)
    #expect(try await fixture.fetch("p1", in: .public).created?.user == caller.user)
    for scope in [DatabaseScope.private, .shared] {
      let error = try await ruleFailure {
        try await fixture.engine.zones.list(in: scope, as: caller)
      }
      #expect(error.code == .authenticationFailed)
    }
    let others = try await ruleFailure { try await fixture.engine.discovery.users([], as: caller) }
    #expect(others.code == .authenticationFailed)
    #expect(try await fixture.engine.discovery.currentUser(as: caller).user == caller.user)
  }

  @Test func `a key that is no P-256 key is refused`() async throws {
    let fixture = try await fixture()
    let error = try await ruleFailure { try await key("-----BEGIN nonsense", fixture) }
    #expect(error.code == .badRequest)
  }

  /// The other valid spelling (r, n - s) of a signature.
  private func mirror(_ signature: P256.Signing.ECDSASignature) -> [UInt8] {
    let raw = Array(signature.rawRepresentation)
    let order: [UInt8] = [
      0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc,
      0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
    ]
    var difference = [UInt8](repeating: 0, count: 32)
    var borrow = 0
    for index in (0..<32).reversed() {
      let value = Int(order[index]) - Int(raw[32 + index]) - borrow
      borrow = value < 0 ? 1 : 0
      difference[index] = UInt8(value & 0xff)
    }
    return Array(raw.prefix(32)) + difference
  }
}

/// The store of two servers.
private struct TwoServersStore: WrappingStore {
  private struct Lease: Leases {
    let processes = 2
    func epoch(of bucket: Bucket) -> Int64? { 1 }
  }
  let inner: any Store
  var leases: any Leases { Lease() }
}
