// Which record fields a push may carry (cases SUB-15 and SUB-16).

package import BrumeModel

/// Which fields a push may carry.
package enum DesiredKeys {
  /// Text, numbers, dates, places and references; no lists, bytes or files.
  package static func isAllowed(_ type: FieldType) -> Bool {
    switch type {
    case .string, .int64, .double, .timestamp, .location, .reference: true
    case .bytes, .asset, .list: false
    }
  }

  /// The same for a value; false for one whose type is unknown, such as an empty list.
  package static func isAllowed(_ value: FieldValue) -> Bool {
    value.type.map { isAllowed($0) } ?? false
  }
}
