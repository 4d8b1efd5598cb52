// One operation of a request, addressed and named, before any record was read.

import BrumeModel
import BrumeStorage

struct RecordItem: Sendable {
  /// Its place in the request, and so in the answer.
  let index: Int
  let kind: RecordOperation.Kind
  let key: RecordKey
  let draft: RecordDraft
  /// Chance, drawn before the transaction: its body may run no impure code (decision 0005).
  let shortGUID: String
  let participantIDs: [String]
  /// The name is none that a record may have, or its texts are too much: the item fails, and takes an atomic batch along.
  var flaw: BrumeError?

  var name: String { key.name }
  var id: RecordID { RecordID(name: key.name, zone: key.zone.id) }
  var bringsAssets: Bool { draft.fields.values.contains { $0.value?.holdsAssets ?? false } }
  /// True when the operation itself says that it is about a share.
  var isShare: Bool {
    draft.type == Record.shareType || key.name == Record.zoneShareName || draft.shareRoot != nil
  }
}

extension RecordKey {
  /// True for the names that user records have: they break the rule for other records.
  var mayBeUser: Bool {
    guard zone.isDefault, name.utf8.count == 33, name.utf8.first == UInt8(ascii: "_") else {
      return false
    }
    return name.utf8.dropFirst().allSatisfy { byte in
      byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
  }
}

/// The short names of shares in their addresses.
enum ShortGUID {
  // CloudKit: live ones have about 24 URL-safe characters and begin with 0 (docs/sharing.md).
  static func make(_ host: Host) -> String { "0" + Base64URL.text(host.randomBytes(18)) }
}
