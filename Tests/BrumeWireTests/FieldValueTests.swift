// Field dictionaries (Apple: CloudKit Web Services, Record Field Dictionary).

import BrumeModel
import BrumeWire
import Testing

private func draft(_ field: String) throws -> DraftField {
  let body = #"{"operations":[{"operationType":"create","record":{"fields":{"f":\#(field)}}}]}"#
  let request = try ModifyRecordsRequest(json: try parse(body))
  return try #require(request.operations[0].record.fields["f"])
}

struct FieldValueTests {
  @Test(arguments: [
    (#"{"value":"x","type":"STRING"}"#, FieldValue.string("x")),
    (#"{"value":7,"type":"INT64"}"#, .int64(7)),
    (#"{"value":2.0,"type":"INT64"}"#, .int64(2)),
    (#"{"value":"-7","type":"INT64"}"#, .int64(-7)),
    (#"{"value":true,"type":"INT64"}"#, .int64(1)),
    (#"{"value":false,"type":"BOOLEAN"}"#, .int64(0)),
    (#"{"value":5,"type":"NUMBER_INT64"}"#, .int64(5)),
    (#"{"value":5,"type":"NUMBER_DOUBLE"}"#, .double(5)),
    (#"{"value":[2],"type":"NUMBER_DOUBLE_LIST"}"#, .list([.double(2)], of: .double)),
    (#"{"value":0,"type":"DOUBLE"}"#, .double(0)),
    (#"{"value":"1.5","type":"DOUBLE"}"#, .double(1.5)),
    (#"{"value":"AQI=","type":"BYTES"}"#, .bytes([1, 2])),
    (#"{"value":-62135596800000,"type":"TIMESTAMP"}"#, .timestamp(-62_135_596_800_000)),
    (#"{"value":{"recordName":"r"},"type":"REFERENCE"}"#, .reference(Reference(recordName: "r"))),
    (
      #"{"value":{"fileChecksum":"c","size":3,"receipt":"r","wrappingKey":"w"},"type":"ASSET"}"#,
      .asset(Asset(fileChecksum: "c", size: 3, receipt: "r"))
    ),
    (#"{"value":[1,2],"type":"INT64_LIST"}"#, .list([.int64(1), .int64(2)], of: .int64)),
    (#"{"value":[],"type":"STRING_LIST"}"#, .list([], of: .string)),
    (#"{"value":[],"type":"ASSET_LIST"}"#, .list([], of: .asset)),
  ])
  func `a tagged value has the tag's type`(_ field: String, _ value: FieldValue) throws {
    #expect(try draft(field) == DraftField(value))
  }

  @Test(arguments: [
    (#"{"value":"x"}"#, FieldValue.string("x")), (#"{"value":7}"#, .int64(7)),
    (#"{"value":7.5}"#, .double(7.5)), (#"{"value":true}"#, .int64(1)),
    (
      #"{"value":{"recordName":"r","action":"DELETE_SELF"}}"#,
      .reference(Reference(recordName: "r", action: .deleteSelf))
    ),
    (
      #"{"value":{"recordName":"r","action":1}}"#,
      .reference(Reference(recordName: "r", action: .deleteSelf))
    ),
    (#"{"value":{"recordName":"r","action":0}}"#, .reference(Reference(recordName: "r"))),
    (
      #"{"value":{"latitude":1,"longitude":2.5}}"#,
      .location(Location(latitude: 1, longitude: 2.5))
    ),
    (#"{"value":{"fileChecksum":"c","size":3}}"#, .asset(Asset(fileChecksum: "c", size: 3))),
    (#"{"value":["a","b"]}"#, .list([.string("a"), .string("b")], of: .string)),
    (#"{"value":[1,2.5]}"#, .list([.double(1), .double(2.5)], of: .double)),
    (#"{"value":[]}"#, .list([], of: nil)),
    (#"{"value":["a"],"type":"LIST"}"#, .list([.string("a")], of: .string)),
    (#"{"value":[],"type":"UNKNOWN_LIST"}"#, .list([], of: nil)),
  ])
  func `an untagged value is what its form suggests`(_ field: String, _ value: FieldValue) throws {
    #expect(try draft(field) == DraftField(value, isTagged: false))
  }

  @Test(arguments: [
    #"{"value":null}"#, "{}", "null", #"{"type":"STRING","isEncrypted":false}"#,
    #"{"value":null,"other":1}"#,
  ])
  func `null and an empty dictionary remove the field`(_ field: String) throws {
    #expect(try draft(field) == DraftField(nil, isTagged: false))
  }

  @Test func `encryption is asked for by the flag or by the tag`() throws {
    #expect(
      try draft(#"{"value":"x","type":"STRING","isEncrypted":true}"#)
        == DraftField(.string("x"), isEncrypted: true))
    #expect(
      try draft(#"{"value":"AQ==","type":"ENCRYPTED_BYTES"}"#)
        == DraftField(.bytes([1]), isEncrypted: true))
  }

  @Test(arguments: [
    (#"{"value":1,"type":"STRING"}"#, "STRING"), (#"{"value":"x","type":"INT64"}"#, "INT64"),
    (#"{"value":1.5,"type":"INT64"}"#, "INT64"),
    (#"{"value":9223372036854775808,"type":"INT64"}"#, "INT64"),
    (#"{"value":"NaN","type":"DOUBLE"}"#, "DOUBLE"),
    (#"{"value":"inf","type":"DOUBLE"}"#, "DOUBLE"),
    (#"{"value":"0x10","type":"DOUBLE"}"#, "a text that is no decimal number"),
    (#"{"value":"?","type":"BYTES"}"#, "not a text that is no base64"),
    (#"{"value":1.5,"type":"INT64"}"#, "not a number with a fraction"),
    (#"{"value":1e300,"type":"INT64"}"#, "not a number beyond 64 bits"),
    (#"{"value":"x","type":"INT64"}"#, "not a text that is no such number"),
    (#"{"value":{"recordName":7},"type":"REFERENCE"}"#, "field 'f': 'recordName' must be a text"),
    (#"{"value":{"recordName":"a","action":"KEEP"}}"#, "field 'f': 'action' of a reference"),
    (#"{"value":{"recordName":"a","action":2}}"#, "field 'f': 'action' must be a text"),
    (#"{"value":{"latitude":"0x1","longitude":1}}"#, "field 'f': 'latitude' must be a number"),
    (#"{"value":1.5,"type":"TIMESTAMP"}"#, "TIMESTAMP"),
    (#"{"value":{"latitude":1},"type":"LOCATION"}"#, "not an object without 'longitude'"),
    (#"{"value":{"lat":1,"lon":2},"type":"LOCATION"}"#, "not an object without 'latitude'"),
    (#"{"value":{},"type":"REFERENCE"}"#, "REFERENCE"),
    (#"{"value":1,"type":"ASSETID"}"#, "ASSETID"),
    (#"{"value":1,"type":"INT64_LIST"}"#, "INT64_LIST"),
    (#"{"value":["a"],"type":"INT64_LIST"}"#, "INT64"),
    (#"{"value":1,"type":"NONSENSE"}"#, "NONSENSE"), (#"{"value":1,"type":"LIST"}"#, "list"),
    (#"{"value":{"a":1}}"#, "reference"), (#"{"value":["a",1]}"#, "list"),
    (#"{"value":[[1]]}"#, "list"), (#"{"value":[null]}"#, "list element"), ("7", "'value'"),
    (#"{"value":1,"type":5}"#, "'type'"),
    (#"{"Value":"x"}"#, "field 'f' has 'Value' and no 'value'; write 'value'"),
    (#"{"type":"DOUBLE","values":[6]}"#, "field 'f' has 'values' and no 'value'"),
  ])
  func `a value against its tag is refused by name`(_ field: String, _ names: String) {
    let error = #expect(throws: BrumeError.self) { try draft(field) }
    #expect(error?.code == .badRequest)
    #expect(error?.reason.contains(names) == true, "\(error?.reason ?? "")")
    #expect(error?.reason.hasPrefix("operations[0]: ") == true)
  }

  @Test func `an infinite double goes out as a text that no reader takes for a number`() throws {
    var record = Sample.record
    record.fields = ["f": .double(.infinity)]
    let bytes = RecordCoder.wire.encode(record)
    #expect(bytes.text.contains(#"{"value":"inf","type":"DOUBLE"}"#))
    #expect(throws: BrumeError.self) { try RecordCoder.wire.decode(bytes) }
  }

  @Test func `a zone ID has the documented and the other owner key`() throws {
    for key in ["ownerRecordName", "ownerName"] {
      let body = try parse(
        #"{"zones":[{"zoneName":"Trails","\#(key)":"_a"},{"zoneID":{"zoneName":"B"}}]}"#)
      #expect(
        try Wire.zoneLookup(body) == [ZoneID(name: "Trails", ownerName: "_a"), ZoneID(name: "B")])
    }
    #expect(try Wire.zoneLookup(try parse(#"{"zones":[{}]}"#)) == [ZoneID(name: "_defaultZone")])
  }
}
