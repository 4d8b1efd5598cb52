// A field's value as a text, for localisation arguments and collapse identifiers: what a person would
// want to read in an alert. Encrypted fields never leave the record.

package import BrumeModel

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
    case .timestamp(let time, _): return date(time)
    case .reference(let reference): return reference.recordName
    case .location(let place): return "\(text(place.latitude)), \(text(place.longitude))"
    case .bytes, .asset, .list: return nil
    }
  }

  /// Whole numbers without ".0", as the notification centre would show them.
  private static func text(_ number: Double) -> String {
    Int64(exactly: number).map { String($0) } ?? String(number)
  }

  /// ISO 8601 in UTC, to the second.
  static func date(_ time: Milliseconds) -> String {
    let second = floored(time, by: 1000)
    let day = floored(second, by: 86_400)
    let (year, month, dayOfMonth) = civil(day)
    let clock = second - day * 86_400
    return "\(padded(year, 4))-\(padded(month))-\(padded(dayOfMonth))"
      + "T\(padded(clock / 3600)):\(padded(clock / 60 % 60)):\(padded(clock % 60))Z"
  }

  /// The proleptic Gregorian date of a day counted from 1970. Eras of 400 years begin on 1 March, so
  /// that the leap day is an era's last.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = floored(shifted, by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func floored(_ value: Int64, by divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }

  private static func padded(_ number: Int64, _ width: Int = 2) -> String {
    let digits = String(number.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return (number < 0 ? "-" : "") + zeros + digits
  }
}
