// The one rule for texts that enter.

import BrumeModel
import Testing

struct TextRulesTests {
  private static let limits = Limits.apple

  @Test(arguments: ["phone", "Ada's phone 📱", "é", String(repeating: "x", count: 255)])
  func `a text without control characters of up to 255 bytes names a device`(
    _ name: String
  ) throws {
    try NameRules.device(name, limits: Self.limits)
    let longer = name + String(repeating: "x", count: 256 - name.utf8.count)
    #expect(throws: BrumeError.self) { try NameRules.device(longer, limits: Self.limits) }
  }

  @Test(arguments: [
    "", "a\u{0}b", "a\nb", "\u{7f}", "a\u{85}", String(repeating: "x", count: 256),
    String(repeating: "é", count: 128),
  ])
  func `an empty text, one with control characters or a longer one names no device`(_ name: String)
  {
    let error = #expect(throws: BrumeError.self) {
      try NameRules.device(name, limits: Self.limits)
    }
    #expect(error?.code == .badRequest)
    #expect(error?.reason.contains("'clientId'") == true || name.isEmpty)
  }

  @Test(arguments: [[0xff], [0xc3], [0xed, 0xa0, 0x80]] as [[UInt8]])
  func `bytes that are no UTF-8 are no text`(_ bytes: [UInt8]) {
    let error = #expect(throws: BrumeError.self) { try TextRules.text(bytes, "the parameter 'a'") }
    #expect(error?.reason.contains("the parameter 'a'") == true)
  }

  @Test func `each text of an identity has its bound`() {
    let long = String(repeating: "x", count: 256)
    for identity in [
      UserIdentity(user: UserID(long)), UserIdentity(givenName: long),
      UserIdentity(familyName: long), UserIdentity(emailAddress: long),
      UserIdentity(phoneNumber: long),
    ] {
      #expect(throws: BrumeError.self) {
        try NameRules.identity(identity, limits: Self.limits)
      }
    }
  }
}
