// What a reader wants of records, and what only the server can add to them.

package import BrumeModel

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How records are written for one reader.
package struct RecordOptions: Sendable {
  /// Names of the fields to return; nil for all. System data is always returned.
  package var desiredKeys: Set<String>?
  /// INT64 and DOUBLE as texts.
  package var numbersAsStrings: Bool
  /// Whose participant a share shows as `currentUserParticipant`.
  package var reader: UserID?
  /// Shows nobody the secret of a share's one-time URL: whoever has it takes part.
  package var hidesTokens = false
  /// Everything of a share, as engines keep it. Replies leave out what only those who manage the
  /// share may see.
  var showsSecrets = false
  /// Where the bytes of an asset can be fetched.
  package var downloadURL: (@Sendable (Asset) -> String)?

  package init(
    desiredKeys: Set<String>? = nil, numbersAsStrings: Bool = false, reader: UserID? = nil,
    downloadURL: (@Sendable (Asset) -> String)? = nil
  ) {
    self.desiredKeys = desiredKeys
    self.numbersAsStrings = numbersAsStrings
    self.reader = reader
    self.downloadURL = downloadURL
  }

  /// The same with other desired keys; nil keeps these.
  func desiring(_ keys: [String]?) -> RecordOptions {
    guard let keys else { return self }
    var options = self
    options.desiredKeys = Set(keys)
    return options
  }

  /// True if a stored record goes out as it is kept.
  ///
  /// Shares show each reader their own participant; assets get addresses that expire. Looking for
  /// the tag in the bytes may find it in a text too, which costs time and nothing else.
  func leavesUnchanged(type: String, stored: [UInt8]) -> Bool {
    guard desiredKeys == nil, !numbersAsStrings, type != Record.shareType else { return false }
    return downloadURL == nil || !Self.mayHoldAsset(stored)
  }

  /// The C library looks for the tag's rarest letter faster than a loop could: every record of
  /// every page goes through here.
  private static func mayHoldAsset(_ stored: [UInt8]) -> Bool {
    let tag: StaticString = "\"ASSETID"
    let last = tag.utf8CodeUnitCount - 1
    return stored.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      var from = last
      while from < bytes.count,
        let found = memchr(start + from, Int32(UInt8(ascii: "D")), bytes.count - from)
      {
        let end = UnsafeRawPointer(found) - start
        if memcmp(start + (end - last), tag.utf8Start, last + 1) == 0 { return true }
        from = end + 1
      }
      return false
    }
  }
}

extension JSONObject {
  /// Ours: names of fields or types that a request may wish for at once. No record type has more fields.
  private static let mostDesiredNames = 1000

  /// The fields that are wanted; nil: all.
  ///
  /// - Throws: `badRequest` if they are no texts, or too many.
  func desiredKeys() throws(BrumeError) -> [String]? {
    try desiredNames("desiredKeys", for: "fields")
  }

  /// What is wanted of all there is; nil: everything.
  ///
  /// - Parameter things: what the names are of.
  /// - Throws: `badRequest` if they are no texts, or too many.
  func desiredNames(_ key: String, for things: String) throws(BrumeError) -> [String]? {
    let names = try strings(key)
    if let names, names.count > Self.mostDesiredNames {
      throw BrumeError(
        .badRequest,
        "'\(key)' has \(names.count) names; the maximum is \(Self.mostDesiredNames); leave it out for all \(things)"
      )
    }
    return names
  }
}
