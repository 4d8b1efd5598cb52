// The byte form of what is sealed, and dates of signed requests: every value survives, no bytes
// crash the reader.

import BrumeModel
import BrumeTestKit
import Testing

@testable import BrumeCore

struct PackingTests {
  @Test(arguments: [0, 1, -1, 63, 64, -64, -65, 1 << 40, Int64.max, Int64.min])
  func `every number is read as it was written`(_ number: Int64) {
    var packer = Packer()
    packer.add(number)
    packer.add("")
    packer.add("Ridge 🏔")
    var unpacker = Unpacker(packer.bytes)
    #expect(unpacker.number() == number)
    #expect(unpacker.text() == "")
    #expect(unpacker.text() == "Ridge 🏔")
    #expect(unpacker.isAtEnd)
  }

  @Test func `random bytes are a value or nothing, never a crash`() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<5000 {
      let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      _ = TokenRules.token(bytes)
      _ = ContinuationMarker(bytes)
      _ = WebAuthToken(bytes)
      var unpacker = Unpacker(bytes)
      while unpacker.number() != nil, unpacker.text() != nil {}
    }
  }

  @Test func `random changes of a token's bytes never crash the reader`() {
    var random = SeededRandom(seed: 8)
    let token = ChangeToken(
      in: ContainerEnvironment(ContainerID("iCloud.a"), .production), scope: .shared,
      reader: UserID("_a"), generation: 3,
      subject: .shared([.init(owner: "_b", zone: "Z", incarnation: 4, sequence: 9)]),
      sequence: 12, walk: .init(through: 20, isFirst: true))
    let bytes = TokenRules.bytes(token)
    #expect(TokenRules.token(bytes) == token)
    for _ in 0..<5000 {
      var changed = bytes
      changed[Int.random(in: changed.indices, using: &random)] = .random(
        in: 0...255, using: &random)
      _ = TokenRules.token(Array(changed.prefix(Int.random(in: 0...changed.count, using: &random))))
    }
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", Int64(0)), ("2026-11-20T22:31:01Z", 1_795_213_861_000),
    ("2024-02-29T23:59:59Z", 1_709_251_199_000), ("1969-12-31T23:59:59Z", -1000),
    ("2000-03-01T00:00:00Z", 951_868_800_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
  ])
  func `dates are read exactly`(_ text: String, _ milliseconds: Milliseconds) {
    #expect(ISODate.milliseconds(text) == milliseconds)
  }

  @Test(arguments: [
    "", "2026-11-20", "2026-11-20T22:31:01", "2026-11-20T22:31:01+", "2026-13-01T00:00:00Z",
    "2026-11-20T24:00:00Z", "2026-11-2ØT22:31:01Z", "2026-11-20 22:31:01Z",
    "9999-12-31T23:59:60Z",
  ])
  func `other spellings of dates are none`(_ text: String) {
    #expect(ISODate.milliseconds(text) == nil)
  }

  @Test func `a sealed text has one spelling`() {
    let seal = Seal(secret: [UInt8](repeating: 7, count: 32))
    let text = seal.text([1, 2, 3, 4], for: .changeToken)
    #expect(seal.payload(of: text, for: .changeToken) == [1, 2, 3, 4])
    #expect(seal.payload(of: text, for: .webAuthToken) == nil)
    #expect(seal.payload(of: text + "=", for: .changeToken) == nil)
    #expect(seal.payload(of: text + "A", for: .changeToken) == nil)
    let other = Seal(secret: [UInt8](repeating: 8, count: 32))
    #expect(other.payload(of: text, for: .changeToken) == nil)
  }
}
