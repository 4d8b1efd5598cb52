// A field's value as a text, for localisation arguments and collapse identifiers: what a person would
// want to read in an alert. Encrypted fields never leave the record.

package import BrumeModel

/// Texts of field values.
package enum FieldText {
  /// The text of a field; nil if the record does not have it or its type has no text.
  package static func of(_ name: String, in record: Record) -> String? {
    guard !record.encryptedFields.contains(name), let value = record.fields[name] else {
      return nil
    }
    switch value {
    case .string(let text): return text
    case .int64(let number): return String(number)
    case .double(let number): return text(number)
    case .timestamp(let time, _): return ISODate.text(time)
    case .reference(let reference): return reference.recordName
    case .location(let place): return "\(text(place.latitude)), \(text(place.longitude))"
    case .bytes, .asset, .list: return nil
    }
  }

  /// Whole numbers without ".0", as the notification centre would show them.
  private static func text(_ number: Double) -> String {
    Int64(exactly: number).map { String($0) } ?? String(number)
  }
}
