// Which names are allowed. Names are ASCII and bounded, so that no engine and no client can read
// one name as another (Apple: CKRecord.ID; decision 0011).

/// Checks names that clients give; each call throws if the name cannot be.
package enum NameRules {
  /// Record names: ASCII, 1 to 255 characters, no leading underscore (case SAV-28).
  ///
  /// - Throws: `badRequest`.
  package static func recordName(_ name: String, limits: Limits) throws(BrumeError) {
    try common(name, "record name", limits)
    if name.utf8.first == UInt8(ascii: "_") {
      throw BrumeError(
        .badRequest, "record name '\(name)' starts with '_', which is reserved; choose another")
    }
  }

  /// Zone names: as record names.
  ///
  /// - Throws: `badRequest`.
  package static func zoneName(_ name: String, limits: Limits) throws(BrumeError) {
    try common(name, "zone name", limits)
    if name.utf8.first == UInt8(ascii: "_"), name != ZoneID.defaultName {
      throw BrumeError(
        .badRequest, "zone name '\(name)' starts with '_', which is reserved; choose another")
    }
  }

  /// Record types: a letter, then letters, digits and underscores.
  ///
  /// - Throws: `badRequest`.
  package static func recordType(_ name: String, limits: Limits) throws(BrumeError) {
    try common(name, "record type", limits)
    guard isIdentifier(name) || name == Record.shareType else {
      throw BrumeError(
        .badRequest,
        "record type '\(shown(name))' must start with a letter and hold only letters, digits and '_'"
      )
    }
  }

  /// Field names: as record types, and none of the reserved ones (case SAV-29).
  ///
  /// - Parameter ofShare: the field is a share's, where names may begin with `cloudkit.`
  /// - Throws: `badRequest`.
  package static func fieldName(_ name: String, ofShare: Bool, limits: Limits) throws(BrumeError) {
    try common(name, "field name", limits)
    if ofShare, name.hasPrefix("cloudkit.") { return }
    guard isIdentifier(name) else {
      throw BrumeError(
        .badRequest,
        "field name '\(shown(name))' must start with a letter and hold only letters, digits and '_'"
      )
    }
    if reservedFields.contains(name) {
      throw BrumeError(
        .badRequest, "field name '\(name)' is reserved for the system; rename the field")
    }
  }

  /// Security roles: ASCII, 1 to 255 characters. Which are built in is the schema language's to say.
  ///
  /// - Throws: `badRequest`.
  package static func role(_ name: String, limits: Limits) throws(BrumeError) {
    try common(name, "role name", limits)
  }

  /// Subscription IDs: any text of 1 to 255 bytes without control characters.
  ///
  /// - Throws: `badRequest`.
  package static func subscriptionID(_ id: String, limits: Limits) throws(BrumeError) {
    if id.isEmpty { throw BrumeError(.badRequest, "a subscription ID must not be empty") }
    try TextRules.check(id, "the subscription ID", upTo: limits.nameLength)
  }

  /// Devices' names: the client's own identifier, any text of 1 to 255 bytes.
  ///
  /// - Throws: `badRequest`.
  package static func device(_ name: String, limits: Limits) throws(BrumeError) {
    if name.isEmpty { throw BrumeError(.badRequest, "a device's name must not be empty") }
    try TextRules.check(name, "the device's name ('clientId')", upTo: limits.labelBytes)
  }

  /// All that an identity says of a person.
  ///
  /// - Throws: `badRequest` for a text that is too long or holds a control character.
  package static func identity(_ identity: UserIdentity, limits: Limits) throws(BrumeError) {
    let texts = [
      ("user record name", identity.user?.name), ("given name", identity.givenName),
      ("family name", identity.familyName), ("e-mail address", identity.emailAddress),
      ("phone number", identity.phoneNumber),
    ]
    for (what, text) in texts {
      if let text { try TextRules.check(text, "the \(what)", upTo: limits.labelBytes) }
    }
  }

  /// Container identifiers: as Apple's, `iCloud.` and dot-separated words.
  ///
  /// - Throws: `badContainer`.
  package static func container(_ name: String) throws(BrumeError) {
    let allowed = name.utf8.allSatisfy { byte in
      byte.isLetter || byte.isDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
    guard name.hasPrefix("iCloud."), name.utf8.count <= 255, name.utf8.count > 7, allowed else {
      throw BrumeError(
        .badContainer,
        "container '\(shown(name))' is not an identifier such as 'iCloud.org.example.app'")
    }
  }

  /// Names of system fields in all their spellings.
  package static let reservedFields: Set<String> = [
    "recordName", "recordID", "recordType", "recordChangeTag", "creationDate",
    "modificationDate", "creatorUserRecordID", "lastModifiedUserRecordID", "createdTimestamp",
    "modifiedTimestamp", "createdUserRecordName", "modifiedUserRecordName",
  ]

  private static func common(_ name: String, _ what: String, _ limits: Limits) throws(BrumeError) {
    let bytes = name.utf8
    if bytes.isEmpty { throw BrumeError(.badRequest, "a \(what) must not be empty") }
    if bytes.count > limits.nameLength {
      throw BrumeError(
        .badRequest,
        "\(what) '\(shown(name))' has \(bytes.count) characters; the maximum is \(limits.nameLength)"
      )
    }
    if !bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) {
      throw BrumeError(.badRequest, "\(what) '\(shown(name))' may hold printable ASCII only")
    }
  }

  /// Whether it is a letter, and letters, digits and underscores after it.
  package static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.utf8.first, first.isLetter else { return false }
    return name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
  }

  /// Names in messages are cut, so that an error is never larger than its cause.
  package static func shown(_ name: String) -> String {
    name.utf8.count <= 64 ? name : String(name.unicodeScalars.prefix(48)) + "…"
  }

  /// A piece of a longer text in quotation marks, cut to a readable length.
  package static func quoted(_ text: String) -> String {
    text.count <= 40 ? "'\(text)'" : "'\(text.prefix(32))…'"
  }
}
