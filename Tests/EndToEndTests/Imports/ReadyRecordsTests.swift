// Which records an import sends, and which wait for others.

import BrumeModel
import BrumeWire
import Testing

@testable import brume

@Suite struct ReadyRecordsTests {
  private static func record(_ name: String, parent: String? = nil, files: Int = 1) -> Record {
    let asset = FieldValue.asset(Asset(fileChecksum: "x", size: 1))
    let all = FieldValue.list(Array(repeating: asset, count: files), of: .asset)
    return Record(
      name: name, zone: ZoneID(name: "Z"), type: "Note", fields: ["files": all], parent: parent)
  }

  private static func record(
    _ name: String, to other: String, _ action: Reference.Action
  ) -> Record {
    var record = record(name)
    record.fields["other"] = .reference(Reference(recordName: other, action: action))
    return record
  }

  private static func names(_ records: [Record], there: Set<String> = []) -> [[String]] {
    let found = ReadyRecords(records, there: there)
    return [found.ready.map(\.name), found.early.map { "\($0.record.name) for \($0.needs)" }]
  }

  @Test func `what needs a record that is nowhere waits for it`() {
    let records = [Self.record("a", parent: "up"), Self.record("b")]
    #expect(Self.names(records) == [["b"], ["a for up"]])
    #expect(Self.names(records, there: ["up"]) == [["a", "b"], []])
  }

  @Test func `only parents and references with action VALIDATE are needed`() {
    let records = [
      Self.record("a", to: "v", .validate), Self.record("b", to: "d", .deleteSelf),
      Self.record("c", to: "n", .none),
    ]
    #expect(Self.names(records) == [["b", "c"], ["a for v"]])
    #expect(ReadyRecords.needed(by: records) == ["v"])
  }

  @Test func `records that need one another go together`() {
    let records = [Self.record("a", to: "b", .validate), Self.record("b", to: "a", .validate)]
    #expect(Self.names(records) == [["a", "b"], []])
  }

  @Test func `what needs a waiting record waits too, unless an older one is there`() {
    let records = [Self.record("a", parent: "b"), Self.record("b", parent: "up")]
    #expect(Self.names(records) == [[], ["b for up", "a for b"]])
    #expect(Self.names(records, there: ["b"]) == [["a"], ["b for up"]])
  }

  @Test func `nothing is asked where no file would be sent for nothing`() async throws {
    let records = [Self.record("a", parent: "up", files: 0), Self.record("b")]
    let found = try await ReadyRecords.among(records) { names in
      Issue.record("asked for \(names)")
      return [:]
    }
    #expect(found.ready == records && found.early.isEmpty)
  }

  @Test func `the server is asked for no more names than a request may have`() async throws {
    let records = (0..<250).map { Self.record("r\($0)", parent: "p\(1000 + $0)") }
    var asked: [Int] = []
    let found = try await ReadyRecords.among(records) { names in
      asked.append(names.count)
      // The last is missing; of one the answer has no room.
      return [
        "records": .array(
          names.map { name in
            switch name {
            case "p1249": ["recordName": .string(name), "serverErrorCode": "NOT_FOUND"]
            case "p1000": ["recordName": .string(name), "serverErrorCode": "LIMIT_EXCEEDED"]
            default: ["recordName": .string(name)]
            }
          })
      ]
    }
    #expect(asked == [200, 50])
    #expect(found.ready.count == 249 && found.early.map(\.needs) == ["p1249"])
  }

  @Test func `records are parted where their files are too many for one request`() {
    let records = [60, 40, 1, 0, 101, 1].enumerated().map {
      Self.record("r\($0.offset)", files: $0.element)
    }
    #expect(
      FileLoad.parts(of: records).map { $0.map(\.files.count) }
        == [[60, 40], [1, 0], [101], [1]])
    #expect(FileLoad.parts(of: []).isEmpty)
  }
}
