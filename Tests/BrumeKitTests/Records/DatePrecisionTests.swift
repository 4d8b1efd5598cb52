import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

struct DatePrecisionTests {
  private let zone = ZoneID(name: "Notes", ownerName: "_me")

  /// Over the wire to the server, and as its storage has it, and back.
  private func sent(_ value: FieldValue) throws -> FieldValue? {
    let record = Record(
      name: "a", zone: zone, type: "Note", changeTag: "1", fields: ["d": value])
    return try RecordCoder.wire.decode(RecordCoder.wire.encode(record)).fields["d"]
  }

  private func shown(_ value: FieldValue?) -> Date? {
    value?.object(in: zone, from: Viewpoint(scope: .private)) as? Date
  }

  @Test(arguments: [
    816_906_668.123_456_7, 0, -1.000_000_1, 1e-7, 816_906_668.5, 816_906_668.999_999_9, 63e9 + 0.1,
    -978_307_200.000_25,
  ])
  func `a date comes back as it was`(seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let back = try sent(FieldValue(date as NSDate, key: "d"))
    #expect(shown(back) == date)
  }

  @Test func `whole milliseconds have nothing more to say`() throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000.125)
    let value = try FieldValue(date as NSDate, key: "d")
    guard case .timestamp(1_700_000_000_125, exact: nil) = value else {
      throw CKError(.internalError, "\(value)")
    }
  }

  @Test func `times are compared by their milliseconds`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 816_906_668.123_4)
    let value = try FieldValue(date as NSDate, key: "d")
    #expect(value == .timestamp(1_795_213_868_123))
  }

  @Test func `a fraction of another millisecond is not believed`() throws {
    let text =
      #"{"recordName":"a","recordType":"T","fields":"#
      + #"{"d":{"value":5,"type":"TIMESTAMP","brume":{"seconds":12.5}}}}"#
    let value = try Record(json: JSON(parsing: Array(text.utf8))).fields["d"]
    #expect(shown(value) == Date(timeIntervalSince1970: 0.005))
  }
}
