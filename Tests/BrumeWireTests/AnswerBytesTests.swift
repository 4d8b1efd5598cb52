// What answers are bounded by is not less than what is written, however many elements lists have.

import BrumeModel
import BrumeWire
import Testing

struct AnswerBytesTests {
  private static let zone = ZoneID(name: "Trails", ownerName: "_alice")
  private static let options = RecordOptions(
    numbersAsStrings: true, downloadURL: { _ in String(repeating: "u", count: 300) })
  private static let elements: [FieldValue] = [
    .string(""), .string("ab"), .bytes([]), .bytes([1]), .bytes([1, 2, 3, 4]),
    .int64(0), .int64(7), .int64(-8), .int64(1023), .int64(.max), .int64(.min),
    .double(0), .double(-.greatestFiniteMagnitude), .double(-.leastNonzeroMagnitude),
    .timestamp(1_790_000_000_000), .timestamp(.min),
    .location(Location(latitude: -12.345678901234567, longitude: -123.45678901234567)),
    .location(
      Location(
        latitude: -0.1234567890123456e-300, longitude: -1e-300 / 3, altitude: -1e-300 / 3,
        horizontalAccuracy: -1e-300 / 3, verticalAccuracy: -1e-300 / 3, speed: -1e-300 / 3,
        course: -1e-300 / 3, timestamp: .min)),
    .reference(Reference(recordName: "r", action: .deleteSelf)),
    .reference(Reference(recordName: "r", zone: zone, action: .deleteSelf)),
    .asset(Asset(fileChecksum: String(repeating: "c", count: 48), size: .max)),
  ]

  private func record(_ value: FieldValue, _ count: Int) -> Record {
    let list = FieldValue.list(Array(repeating: value, count: count), of: value.type)
    return Record(name: "a", zone: Self.zone, type: "Hike", fields: ["list": list])
  }

  private func written(_ record: Record) -> Int {
    var writer = JSONWriter()
    writer.record(record, Self.options)
    return writer.bytes.count
  }

  @Test(arguments: elements)
  func `an element of a list counts for what is written of it at least`(_ value: FieldValue) {
    let (few, many) = (record(value, 10), record(value, 110))
    #expect(many.answerBytes - few.answerBytes >= written(many) - written(few))
  }
}
