// The closed set of values that a record field can hold, and their types.

/// A field's type as the schema declares it. Lists hold one element type.
package indirect enum FieldType: Hashable, Sendable {
  case string, int64, double, bytes, timestamp, location, reference, asset
  case list(FieldType)

  /// The element type of a list, the type itself otherwise.
  package var element: FieldType {
    if case .list(let element) = self { element } else { self }
  }
  package var isList: Bool {
    if case .list = self { true } else { false }
  }
}

/// What a record field holds. Text is compared by its bytes, never by canonical equivalence, so
/// that Swift, SQLite and PostgreSQL agree (docs/decisions/0011).
package enum FieldValue: Equatable, Sendable {
  case string(String)
  case int64(Int64)
  case double(Double)
  case bytes([UInt8])
  /// Whole milliseconds since 1970: all that HTTP clients see, and all that counts where values are
  /// compared. `exact` is the same moment in seconds since 2001, for clients of the framework, whose
  /// dates have fractions; nil: the milliseconds are all of it.
  case timestamp(Milliseconds, exact: Double? = nil)
  case location(Location)
  case reference(Reference)
  case asset(Asset)
  /// The element type is nil only for an empty list whose type nobody has said yet.
  case list([FieldValue], of: FieldType?)

  /// Nil for an empty list of unknown element type.
  package var type: FieldType? {
    switch self {
    case .string: .string
    case .int64: .int64
    case .double: .double
    case .bytes: .bytes
    case .timestamp: .timestamp
    case .location: .location
    case .reference: .reference
    case .asset: .asset
    case .list(_, let element): element.map { .list($0) }
    }
  }

  /// Texts by their bytes, times by their milliseconds, lists by their elements alone.
  package static func == (a: FieldValue, b: FieldValue) -> Bool {
    switch (a, b) {
    case (.string(let x), .string(let y)): x.utf8.elementsEqual(y.utf8)
    case (.int64(let x), .int64(let y)): x == y
    case (.double(let x), .double(let y)): x == y
    case (.bytes(let x), .bytes(let y)): x == y
    case (.timestamp(let x, _), .timestamp(let y, _)): x == y
    case (.location(let x), .location(let y)): x == y
    case (.reference(let x), .reference(let y)): x == y
    case (.asset(let x), .asset(let y)): x == y
    case (.list(let x, _), .list(let y, _)): x == y
    default: false
    }
  }
}

extension FieldValue {
  /// Bytes that count against the record's limit. Assets do not.
  package var size: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    case .int64, .double, .timestamp: 8
    case .location: 64
    case .reference(let reference): reference.recordName.utf8.count
    case .asset: 0
    case .list(let values, _): values.reduce(0) { $0 + $1.size }
    }
  }
}

/// A point on the globe with Core Location's companions. Degrees, metres, metres per second.
package struct Location: Hashable, Sendable {
  package var latitude: Double
  package var longitude: Double
  /// Metres above sea level.
  package var altitude: Double?
  /// Radius in metres, as Core Location has it; a negative one says that the place is not valid.
  package var horizontalAccuracy: Double?
  /// Metres.
  package var verticalAccuracy: Double?
  /// Metres per second.
  package var speed: Double?
  /// Degrees from true north.
  package var course: Double?
  package var timestamp: Milliseconds?

  package init(
    latitude: Double, longitude: Double, altitude: Double? = nil,
    horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil, speed: Double? = nil,
    course: Double? = nil, timestamp: Milliseconds? = nil
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.speed = speed
    self.course = course
    self.timestamp = timestamp
  }
}

/// A pointer to another record of the same database.
package struct Reference: Hashable, Sendable {
  /// What happens to the holder when the target goes. Raw values are the spelling on the wire.
  package enum Action: String, Hashable, Sendable {
    case none = "NONE"
    case deleteSelf = "DELETE_SELF"
    case validate = "VALIDATE"
  }
  package var recordName: String
  /// Nil: the zone of the record that holds the reference.
  package var zone: ZoneID?
  package var action: Action

  package init(recordName: String, zone: ZoneID? = nil, action: Action = .none) {
    self.recordName = recordName
    self.zone = zone
    self.action = action
  }
}

/// A stored file, known by its checksum. The bytes are the asset store's.
package struct Asset: Hashable, Sendable {
  /// Names the bytes: a version byte and a digest, in base64.
  package var fileChecksum: String
  /// In bytes.
  package var size: Int64
  /// Present in writes only: proof of an upload, bound to user and field, usable once.
  package var receipt: String?
  /// Present in answers only: where the bytes are, for a while.
  package var downloadURL: String?

  package init(
    fileChecksum: String, size: Int64, receipt: String? = nil, downloadURL: String? = nil
  ) {
    self.fileChecksum = fileChecksum
    self.size = size
    self.receipt = receipt
    self.downloadURL = downloadURL
  }
}
