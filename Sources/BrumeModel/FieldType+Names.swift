// How field types are spelled: on the wire, and in every error text that names one.

extension FieldType {
  /// The spelling on the wire: `STRING`, `INT64_LIST`.
  package var wireName: String {
    switch self {
    case .string: "STRING"
    case .int64: "INT64"
    case .double: "DOUBLE"
    case .bytes: "BYTES"
    case .timestamp: "TIMESTAMP"
    case .location: "LOCATION"
    case .reference: "REFERENCE"
    case .asset: "ASSETID"
    case .list(let element): element.wireName + "_LIST"
    }
  }

  /// All types that are no lists.
  package static let scalars: [FieldType] = [
    .string, .int64, .double, .bytes, .timestamp, .location, .reference, .asset,
  ]
}
