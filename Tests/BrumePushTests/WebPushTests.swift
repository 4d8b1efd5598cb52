import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeWire
import Crypto
import Testing

@Suite struct WebPushTests {
  /// RFC 8291, section 5.
  @Test func `the RFC's own example comes out byte for byte`() throws {
    func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.bytes(text)) }
    let own = try P256.KeyAgreement.PrivateKey(
      rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    let sealed = try WebPushEncryption.encrypt(
      Array("When I grow up, I want to be a watermelon".utf8),
      for: bytes(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
      secret: bytes("BTBZMqHH6r4Tts7J_aSIgg"), own: own, salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"))
    #expect(
      Base64URL.text(sealed)
        == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLoc"
        + "InmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLV"
        + "WGNWQexSgSxsj_Qulcy4a-fN")
  }

  @Test func `the largest payload makes a body of 4096 bytes`() throws {
    let theirs = P256.KeyAgreement.PrivateKey()
    let body = try WebPushEncryption.encrypt(
      [UInt8](repeating: 7, count: Limits().webPushPayloadBytes),
      for: Array(theirs.publicKey.x963Representation), secret: [UInt8](repeating: 1, count: 16),
      own: .init(), salt: [UInt8](repeating: 2, count: 16))
    #expect(body.count == 4096)
  }

  @Test func `a key that is not on the curve is refused`() {
    #expect(throws: (any Error).self) {
      try WebPushEncryption.encrypt(
        [1], for: [4] + [UInt8](repeating: 9, count: 64), secret: [], own: .init(),
        salt: [UInt8](repeating: 2, count: 16))
    }
  }

  @Test func `a salt of another length ends the process instead of sending what nobody can read`()
    async
  {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let key = P256.KeyAgreement.PrivateKey()
      _ = try WebPushEncryption.encrypt(
        [1], for: Array(key.publicKey.x963Representation), secret: [], own: key, salt: [1])
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a salt has 16 bytes"))
  }

  @Test func `a service's token is signed by the key that browsers get, and made anew in time`()
    throws
  {
    let key = P256.Signing.PrivateKey()
    var vapid = try VAPID(key: Array(key.rawRepresentation), contact: "mailto:a@example.org")
    func text(_ origin: String, _ now: Milliseconds) throws -> String {
      try vapid.authorization(for: "https://\(origin).example", now: 1_000_000 + now)
    }
    let (first, other) = (try text("push", 0), try text("other", 0))
    let (kept, renewed) = (try text("push", 21_599_000), try text("push", 21_600_000))
    #expect(kept == first)
    #expect(renewed != first)
    #expect(other != first)
    let parts = first.split(separator: " ")
    #expect(parts[0] == "vapid")
    #expect(parts[2] == "k=\(vapid.publicKey)")
    let token = parts[1].dropFirst(2).dropLast().split(separator: ".").map(String.init)
    let claims = try JSON(parsing: #require(Base64URL.bytes(token[1])))
    #expect(
      claims == ["aud": "https://push.example", "exp": 44_200, "sub": "mailto:a@example.org"])
    // In the last millisecond of a second, from which one more would be the next second's.
    let late = try text("late", 999).split(separator: ".").map(String.init)[1]
    #expect(try JSON(parsing: #require(Base64URL.bytes(late)))["exp"] == 44_200)
    let signature = try P256.Signing.ECDSASignature(
      rawRepresentation: #require(Base64URL.bytes(token[2])))
    #expect(
      key.publicKey.isValidSignature(signature, for: Array("\(token[0]).\(token[1])".utf8)))
  }

  @Test(arguments: [
    (200, ChannelAnswer.Verdict.done), (201, .done), (202, .done), (204, .done),
    (301, .retry(after: nil)), (307, .retry(after: nil)), (407, .retry(after: nil)),
    (400, .refused), (401, .retry(after: 300_000)), (403, .retry(after: 300_000)),
    (404, .gone(at: 7)), (410, .gone(at: 7)), (413, .tooLarge), (408, .retry(after: 9000)),
    (425, .retry(after: 9000)), (429, .retry(after: 9000)),
    (500, .retry(after: 9000)), (502, .retry(after: 9000)), (503, .busy(after: 9000)),
    (100, .retry(after: nil)),
  ])
  func `N10 a push service's status has one meaning:`(
    status: Int, verdict: ChannelAnswer.Verdict
  ) {
    let answer = WebPushStatus.answer(.init(status: status, retryAfter: "9"), now: 7)
    #expect(answer.verdict == verdict)
    #expect(answer.status == status)
  }

}
