// What a reader wants of records, and what only the server can add to them.

package import BrumeModel

package struct RecordOptions: Sendable {
  /// Names of the fields to return; nil for all. System data is always returned.
  package var desiredKeys: [String]?
  /// INT64 and DOUBLE as texts.
  package var numbersAsStrings: Bool
  /// Whose participant a share shows as `currentUserParticipant`.
  package var reader: UserID?
  /// Everything of a share, as engines keep it. Replies leave out what only those who manage the
  /// share may see.
  var showsSecrets = false
  /// Where the bytes of an asset can be fetched.
  package var downloadURL: (@Sendable (Asset) -> String)?

  package init(
    desiredKeys: [String]? = nil, numbersAsStrings: Bool = false, reader: UserID? = nil,
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
    options.desiredKeys = keys
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

  private static func mayHoldAsset(_ stored: [UInt8]) -> Bool {
    let tag = Array("\"ASSETID".utf8)
    return stored.withUnsafeBufferPointer { bytes in
      var at = 0
      while bytes.count - at >= tag.count {
        // 'D' is the rarest letter of the tag in ordinary records: look at the end first.
        if bytes[at + 7] == UInt8(ascii: "D"), bytes[at..<at + tag.count].elementsEqual(tag) {
          return true
        }
        at += 1
      }
      return false
    }
  }
}
