// Moments as dates of the Gregorian calendar in UTC, without a library: the rules write few of them and
// in one form.

/// The proleptic Gregorian calendar by days counted from 1970-01-01.
///
/// Eras of 400 years begin on 1 March of the year 0, so that a leap day is the last of its year and of
/// its era.
package enum GregorianCalendar {
  private static let daysPerEra: Int64 = 146_097
  private static let daysBefore1970: Int64 = 719_468

  /// The date of a day counted from 1970-01-01; months and days of the month count from 1.
  package static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + daysBefore1970
    let era = floored(shifted, by: daysPerEra)
    let dayOfEra = shifted - era * daysPerEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// The day of a date, counted from 1970-01-01. The inverse of `date(ofDay:)`.
  package static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let era = floored(shifted, by: 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * daysPerEra + dayOfEra - daysBefore1970
  }

  fileprivate static func floored(_ value: Int64, by divisor: Int64) -> Int64 {
    value / divisor - (value % divisor < 0 ? 1 : 0)
  }
}

/// ISO 8601 in UTC, as a rule to the second: `2026-11-22T08:49:37Z`.
package enum ISODate {
  private static let secondsPerDay: Int64 = 86_400

  /// What is below a second is left out.
  package static func text(_ time: Milliseconds) -> String {
    text(second: GregorianCalendar.floored(time, by: 1000))
  }

  /// - Parameter second: counted from 1970.
  package static func text(second: Int64) -> String { dayAndClock(second) + "Z" }

  /// With its milliseconds: `2026-11-22T08:49:37.042Z`.
  package static func preciseText(_ time: Milliseconds) -> String {
    let second = GregorianCalendar.floored(time, by: 1000)
    return "\(dayAndClock(second)).\(padded((time % 1000 + 1000) % 1000, 3))Z"
  }

  private static func dayAndClock(_ second: Int64) -> String {
    let day = GregorianCalendar.floored(second, by: secondsPerDay)
    let date = GregorianCalendar.date(ofDay: day)
    let clock = second - day * secondsPerDay
    return "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))"
      + "T\(padded(clock / 3600)):\(padded(clock / 60 % 60)):\(padded(clock % 60))"
  }

  /// Nil if the text is no date of this form.
  package static func milliseconds(_ text: String) -> Milliseconds? {
    let bytes = Array(text.utf8)
    let pattern = Array("0000-00-00T00:00:00Z".utf8)
    guard bytes.count == pattern.count else { return nil }
    for (byte, shape) in zip(bytes, pattern) {
      guard shape == UInt8(ascii: "0") ? byte.isDigit : byte == shape else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64 {
      bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = GregorianCalendar.day(year, month, day)
    let time = ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000
    // The leap second after the last year would be of one that this form cannot write.
    return time < endOfForm ? time : nil
  }

  private static let endOfForm = GregorianCalendar.day(10_000, 1, 1) * secondsPerDay * 1000

  private static func padded(_ number: Int64, _ width: Int = 2) -> String {
    let digits = String(number.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return (number < 0 ? "-" : "") + zeros + digits
  }
}
