import Testing

@testable import BrumeCore

struct PasswordHashTests {
  @Test(arguments: [
    "-2$8$1", "64$-8$1", "64$0$1", "64$8$9223372036854775807", "9223372036854775807$8$1",
    "262145$8$1",
  ])
  func `a damaged hash that would cost more than any of ours fits no password`(numbers: String) {
    #expect(!PasswordHash.verify("correct horse", "scrypt$\(numbers)$AAAA$AAAA"))
  }

  @Test func `a password fits its hash and no other does`() throws {
    let hash = try PasswordHash.make("correct horse", salt: [1, 2, 3], rounds: 16)
    #expect(PasswordHash.verify("correct horse", hash))
    #expect(!PasswordHash.verify("wrong horse", hash))
  }
}
