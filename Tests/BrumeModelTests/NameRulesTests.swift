// Which names are allowed, and how the table of errors hangs together.

import BrumeModel
import Testing

struct NameRulesTests {
  let limits = Limits.apple

  @Test(arguments: ["a", "A-7", "note 1", String(repeating: "x", count: 255)])
  func `SAV-28 printable ASCII of up to 255 characters is a record name`(name: String) throws {
    try NameRules.recordName(name, limits: limits)
  }

  @Test(arguments: ["", "_a", "é", "a\u{0}b", "a\nb", String(repeating: "x", count: 256)])
  func `SAV-28 anything else is refused as a record name`(name: String) {
    let error = #expect(throws: BrumeError.self) {
      try NameRules.recordName(name, limits: limits)
    }
    #expect(error?.code == .badRequest)
  }

  @Test func `SAV-29 reserved field names are refused by name`() {
    let error = #expect(throws: BrumeError.self) {
      try NameRules.fieldName("recordName", ofShare: false, limits: limits)
    }
    #expect(error?.reason.contains("recordName") == true)
  }

  @Test func `ACC-09 a container looks like an identifier`() throws {
    try NameRules.container("iCloud.org.example.app")
    for name in ["", "iCloud.", "org.example", "iCloud.a/b", "iCloud.é"] {
      let error = #expect(throws: BrumeError.self) { try NameRules.container(name) }
      #expect(error?.code == .badContainer)
    }
  }

  /// Strict clients decode no code but the documented ones.
  @Test(arguments: BrumeError.Code.allCases)
  func `every error has a documented code on the wire and a status that fits`(
    code: BrumeError.Code
  ) {
    let documented: Set<String> = [
      "ACCESS_DENIED", "ATOMIC_ERROR", "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED",
      "BAD_REQUEST", "CONFLICT", "EXISTS", "INTERNAL_ERROR", "NOT_FOUND", "QUOTA_EXCEEDED",
      "THROTTLED", "TRY_AGAIN_LATER", "VALIDATING_REFERENCE_ERROR", "ZONE_NOT_FOUND",
      "UNIQUE_FIELD_ERROR", "ZONE_BUSY",
    ]
    #expect(documented.contains(code.meaning.wire))
    #expect((400..<600).contains(code.meaning.httpStatus))
    #expect((1...37).contains(code.meaning.ckError))
  }
}
