// The record dictionary (Apple: CloudKit Web Services, Record Dictionary), as sent and as stored.

import BrumeModel
import BrumeTestKit
import BrumeWire
import Testing

struct RecordTests {
  @Test func `a full record is written key for key as CloudKit documents it`() {
    let owner = Sample.owner.name
    let zone = #"{"zoneName":"Trails","ownerRecordName":"\#(owner)"}"#
    let expected =
      #"{"recordName":"H-100","recordType":"Hike","recordChangeTag":"1e","fields":{"#
      + #""area":{"value":{"recordName":"A-7","zoneID":\#(zone),"action":"DELETE_SELF"},"type":"REFERENCE"},"#
      + #""km":{"value":12.5,"type":"DOUBLE"},"#
      + #""start":{"value":{"latitude":47.1,"longitude":11.4},"type":"LOCATION"},"#
      + #""tags":{"value":["alps","summer"],"type":"STRING_LIST"},"#
      + #""title":{"value":"Ridge loop","type":"STRING"},"#
      + #""walked":{"value":1795213861000,"type":"TIMESTAMP"}},"#
      + #""pluginFields":{},"#
      + #""created":{"timestamp":1795213800000,"userRecordName":"\#(owner)","deviceID":"1"},"#
      + #""modified":{"timestamp":1795213861917,"userRecordName":"\#(owner)","deviceID":"1"},"#
      + #""deleted":false,"zoneID":{"zoneName":"Trails","ownerRecordName":"\#(owner)","#
      + #""zoneType":"REGULAR_CUSTOM_ZONE"}}"#
    #expect(RecordCoder.wire.encode(Sample.record).text == expected)
  }

  @Test func `every record reads back as it was`() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<500 {
      let record = randomRecord(using: &random)
      let bytes = RecordCoder.wire.encode(record)
      #expect(try RecordCoder.wire.decode(bytes) == record)
      #expect(try RecordCoder.wire.encode(RecordCoder.wire.decode(bytes)) == bytes)
    }
    #expect(try RecordCoder.wire.decode(RecordCoder.wire.encode(Sample.share)) == Sample.share)
  }

  @Test func `copying stored bytes gives what encoding the values gives`() {
    var random = SeededRandom(seed: 2)
    let records = (0..<100).map { _ in randomRecord(using: &random) } + [Sample.share]
    let slow = records.map { record in
      StoredRecord(name: record.name, type: record.type, sequence: 1, content: .value(record))
    }
    let fast = records.map(Sample.stored)
    let choices = [
      RecordOptions(), RecordOptions(desiredKeys: ["f0", "f3"]), RecordOptions(desiredKeys: []),
      RecordOptions(numbersAsStrings: true), RecordOptions(reader: Sample.guest),
      RecordOptions(downloadURL: { "https://x.example/\($0.fileChecksum)" }),
    ]
    for options in choices {
      #expect(
        Wire.queryPage(QueryPage(records: fast, marker: "m"), options)
          == Wire.queryPage(QueryPage(records: slow, marker: "m"), options))
    }
  }

  @Test func `a page of stored records is copied without looking inside`() throws {
    let coder = RecordCoder(encode: { _ in [] }, decode: { _ in throw BrumeError(.badRequest, "") })
    let stored = StoredRecord(
      name: "a", type: "T", sequence: 1, content: .encoded(Array(#"{"any":1}"#.utf8), coder))
    let reply = Wire.records([.success(.saved(stored)), .success(.saved(stored))])
    #expect(reply.text == #"{"records":[{"any":1},{"any":1}]}"#)
    // When it must be looked at and cannot, the error takes its place.
    let filtered = Wire.records([.success(.saved(stored))], RecordOptions(desiredKeys: []))
    let results = try Wire.recordResults(JSON(parsing: filtered))
    #expect(throws: ItemFailure<RecordID>.self) { try results[0].get() }
  }

  @Test func `desired keys narrow the fields and leave the system data`() throws {
    let reply = Wire.records(
      [.success(.saved(Sample.stored(Sample.record)))], RecordOptions(desiredKeys: ["km", "gone"]))
    let record = try #require(try JSON(parsing: reply)["records"]?.array?.first)
    #expect(record["fields"] == ["km": ["value": 12.5, "type": "DOUBLE"]])
    #expect(record["created"] != nil)
  }

  @Test func `an item's own desired keys come before the request's`() throws {
    let stored = RecordResult.success(.saved(Sample.stored(Sample.record)))
    let request = LookupRecordsRequest(
      items: [.init(name: "a", desiredKeys: ["km"]), .init(name: "b")], desiredKeys: ["title"])
    let pieces = Wire.recordsInPieces([stored, stored], for: request, RecordOptions())
    let records = try JSON(parsing: Array(pieces.joined()))["records"]?.array
    #expect(records?[0]["fields"]?.object?.members.map(\.key) == ["km"])
    #expect(records?[1]["fields"]?.object?.members.map(\.key) == ["title"])
  }

  @Test func `numbers as strings touch INT64 and DOUBLE only`() throws {
    var record = Sample.record
    record.fields = [
      "i": .list([.int64(.max)], of: .int64), "d": .double(0.5), "t": .timestamp(3),
    ]
    let reply = Wire.records(
      [.success(.saved(Sample.stored(record)))], RecordOptions(numbersAsStrings: true))
    let fields = try JSON(parsing: reply)["records"]?.array?[0]["fields"]
    #expect(fields?["i"]?["value"] == ["9223372036854775807"])
    #expect(fields?["d"]?["value"] == "0.5")
    #expect(fields?["t"]?["value"] == 3)
    let results = try Wire.recordResults(JSON(parsing: reply))
    guard case .success(.saved(let stored)) = results[0] else { return #expect(Bool(false)) }
    #expect(try stored.record().fields == record.fields)
  }

  @Test func `assets carry an address for reading and only then`() throws {
    var record = Sample.record
    record.fields = ["photo": .list([.asset(Asset(fileChecksum: "c", size: 3))], of: .asset)]
    let options = RecordOptions(downloadURL: { "https://x.example/\($0.fileChecksum)" })
    let with = Wire.records([.success(.saved(Sample.stored(record)))], options)
    #expect(with.text.contains(#""downloadURL":"https://x.example/c""#))
    #expect(!Wire.records([.success(.saved(Sample.stored(record)))]).text.contains("downloadURL"))
  }

  @Test func `a share shows each reader their own participant`() throws {
    let stored = RecordResult.success(.saved(Sample.stored(Sample.share)))
    for (reader, id) in [(Sample.owner, "p1"), (Sample.guest, "p2")] {
      let reply = try JSON(parsing: Wire.records([stored], RecordOptions(reader: reader)))
      let share = try #require(reply["records"]?.array?.first)
      #expect(share["currentUserParticipant"]?["participantId"]?.string == id)
      #expect(share["owner"]?["participantId"] == "p1")
      #expect(share["participants"]?.array?.count == 2)
      #expect(share["publicPermission"] == "READ_ONLY")
    }
  }

  @Test func `a deletion and a failure stand in the place of their item`() throws {
    let id = RecordID(name: "H-100", zone: Sample.zone)
    var conflict = BrumeError(.conflict, "client oplock error updating record")
    conflict.serverRecord = Sample.record
    let results: [RecordResult] = [
      .success(.deleted(name: "H-099", zone: Sample.zone)), .failure(ItemFailure(id, conflict)),
      .success(.saved(Sample.stored(Sample.record))),
    ]
    let json = try JSON(parsing: Wire.records(results))
    let items = try #require(json["records"]?.array)
    #expect(items[0]["deleted"] == true)
    #expect(items[1]["serverErrorCode"] == "CONFLICT")
    #expect(items[1]["recordName"] == "H-100")
    #expect(items[2]["serverErrorCode"] == nil)
    let back = try Wire.recordResults(json)
    guard case .success(.deleted("H-099", Sample.zone)) = back[0],
      case .failure(let failure) = back[1],
      case .success(.saved(let saved)) = back[2]
    else { return #expect(Bool(false), "\(back)") }
    #expect(failure == ItemFailure(id, conflict))
    #expect(try saved.record() == Sample.record)
    #expect(saved.sequence == 50)
  }
}
