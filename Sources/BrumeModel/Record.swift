// A record, its system fields, and the form in which engines pass it.

/// Who touched a record, when, from which device.
package struct Stamp: Equatable, Sendable {
  package var time: Milliseconds
  package var user: UserID
  package var device: String
  package init(time: Milliseconds, user: UserID, device: String) {
    self.time = time
    self.user = user
    self.device = device
  }
}

/// A record as the rules see it. A record exists as this value, as wire JSON, and as a client's
/// `CKRecord`; there is no fourth form.
package struct Record: Equatable, Sendable {
  /// The record type of shares.
  package static let shareType = "cloudkit.share"
  /// The record type of users, in the public database.
  package static let usersType = "Users"
  /// The record name of a zone's own share.
  package static let zoneShareName = "cloudkit.zoneshare"

  package var name: String
  package var zone: ZoneID
  package var type: String
  /// Empty for a record that no server has seen.
  package var changeTag: String
  package var fields: [String: FieldValue]
  /// The names in `fields` that were written encrypted.
  package var encryptedFields: Set<String>
  package var created: Stamp?
  package var modified: Stamp?
  /// The record name of the parent, always in the same zone.
  package var parent: String?
  /// The record name of the share that has this record as its root.
  package var share: String?
  package var shortGUID: String?
  /// Only on records of type `cloudkit.share`.
  package var shareDetails: Share?

  package init(
    name: String, zone: ZoneID, type: String, changeTag: String = "",
    fields: [String: FieldValue] = [:], encryptedFields: Set<String> = [],
    created: Stamp? = nil, modified: Stamp? = nil, parent: String? = nil, share: String? = nil,
    shortGUID: String? = nil, shareDetails: Share? = nil
  ) {
    self.name = name
    self.zone = zone
    self.type = type
    self.changeTag = changeTag
    self.fields = fields
    self.encryptedFields = encryptedFields
    self.created = created
    self.modified = modified
    self.parent = parent
    self.share = share
    self.shortGUID = shortGUID
    self.shareDetails = shareDetails
  }

  /// Bytes of names and values, by which engines take their steps.
  package var byteCount: Int {
    fields.reduce(256) { $0 + $1.key.utf8.count + $1.value.size }
  }
  /// How many bytes the record takes in an answer, or nearly.
  package var answerBytes: Int {
    fields.reduce(256) { $0 + $1.key.utf8.count + $1.value.answerBytes }
  }
  package var isShare: Bool { type == Record.shareType }
  package var isZoneShare: Bool { isShare && name == Record.zoneShareName }
}

extension FieldValue {
  /// Of lists that have many elements, most may be what is around these.
  fileprivate var answerBytes: Int {
    if case .list(let values, _) = self { values.reduce(0) { $0 + $1.elementBytes } } else { size }
  }

  /// The most that an element of a list takes with its comma and quotes, but for texts with escapes in them.
  private var elementBytes: Int {
    switch self {
    case .string(let text): text.utf8.count + 3
    case .bytes(let bytes): (bytes.count + 2) / 3 * 4 + 3
    // A digit has more than three bits. With a sign, and as a text for those who ask for that.
    case .int64(let number), .timestamp(let number, _):
      5 + (Int64.bitWidth - number.magnitude.leadingZeroBitCount) * 3 / 10
    case .double: 27
    case .location(let place):
      place == Location(latitude: place.latitude, longitude: place.longitude) ? 80 : 320
    case .reference(let target):
      target.recordName.utf8.count + 44
        + (target.zone.map { 48 + $0.name.utf8.count + ($0.ownerName?.utf8.count ?? 0) } ?? 0)
    // With where it can be fetched.
    case .asset: 512
    case .list: size
    }
  }
}

/// How a record becomes bytes and comes back. The composition layer supplies the wire's own form,
/// so that a change feed copies bytes instead of parsing and printing them; the rules and the
/// engines never look inside.
package struct RecordCoder: Sendable {
  package let encode: @Sendable (Record) -> [UInt8]
  package let decode: @Sendable ([UInt8]) throws -> Record
  package init(
    encode: @escaping @Sendable (Record) -> [UInt8],
    decode: @escaping @Sendable ([UInt8]) throws -> Record
  ) {
    self.encode = encode
    self.decode = decode
  }

  /// Those of a record that an engine returned; none of one that is unreadable.
  package func bytes(of stored: StoredRecord) -> [UInt8] {
    switch stored.content {
    case .value(let record): encode(record)
    case .encoded(let bytes, _): bytes
    case .unreadable: []
    }
  }
}

/// A record as a storage engine returns it: key columns, and the content either still encoded or
/// already a value.
package struct StoredRecord: Sendable {
  /// What is known of the record's content.
  package enum Content: Sendable {
    /// By reference: a record is large, and most that engines return are encoded.
    indirect case value(Record)
    case encoded([UInt8], RecordCoder)
    /// There is something under the name, and nobody can say what: the error stands in its place.
    indirect case unreadable(BrumeError)
  }
  package let name: String
  package let type: String
  /// The database's sequence number of the record's last change.
  package let sequence: Int64
  package let content: Content
  /// Of an unreadable record that was found by a query: nothing else says in which zone it is.
  package let zone: ZoneID?

  package init(
    name: String, type: String, sequence: Int64, content: Content, zone: ZoneID? = nil
  ) {
    self.name = name
    self.type = type
    self.sequence = sequence
    self.content = content
    self.zone = zone
  }

  /// How many bytes the record takes in an answer, or nearly.
  package var byteCount: Int {
    switch content {
    case .encoded(let bytes, _): bytes.count
    case .value(let record): record.answerBytes
    case .unreadable: 0
    }
  }

  /// What stands for a record whose bytes are not those that were stored.
  package init(damaged name: String, sequence: Int64) {
    self.init(
      name: name, type: "", sequence: sequence,
      content: .unreadable(.damaged("record '\(NameRules.shown(name))'")))
  }

  package var isUnreadable: Bool { if case .unreadable = content { true } else { false } }

  /// The record's value. Decodes on each call: keep the result.
  ///
  /// - Throws: what the coder throws; the error that stands for an unreadable record.
  package func record() throws -> Record {
    switch content {
    case .value(let record): record
    case .encoded(let bytes, let coder): try coder.decode(bytes)
    case .unreadable(let error): throw error
    }
  }
}

/// Change tags: a record's sequence number in base 36, as short as the live service's.
package enum ChangeTag {
  /// The tag of a sequence.
  package static func text(_ sequence: Int64) -> String { String(sequence, radix: 36) }
}
