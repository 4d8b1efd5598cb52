// Files that an import has sent for records that were refused.

import BrumeModel
import Testing

@testable import brume

@Suite struct SentFilesTests {
  private static let original = Asset(fileChecksum: "theirs", size: 3)
  private static let asset = Asset(fileChecksum: "ours", size: 3, receipt: "r")
  private static let now = ContinuousClock.now

  private static func place(_ name: String, _ position: Int = 0) -> SentFiles.Place {
    SentFiles.Place(
      record: RecordID(name: name, zone: ZoneID(name: "Z")), field: "files", position: position)
  }

  private static func record(_ name: String, files: Int, of size: Int64 = 3) -> Record {
    let file = FieldValue.asset(Asset(fileChecksum: "theirs", size: size))
    return Record(
      name: name, zone: ZoneID(name: "Z", ownerName: "somebody"), type: "Note",
      fields: ["files": .list(Array(repeating: file, count: files), of: .asset)])
  }

  private static func send(_ count: Int, for name: String, _ sent: inout SentFiles) {
    for position in 0..<count {
      sent.add(asset, at: place(name, position), of: original, now: now)
    }
  }

  @Test func `a file is used again for the same place and content only`() {
    var sent = SentFiles()
    Self.send(1, for: "a", &sent)
    #expect(sent.asset(at: Self.place("a"), of: Self.original) == Self.asset)
    #expect(sent.asset(at: Self.place("a", 1), of: Self.original) == nil)
    #expect(sent.asset(at: Self.place("b"), of: Self.original) == nil)
    let changed = Asset(fileChecksum: "others", size: 3)
    #expect(sent.asset(at: Self.place("a"), of: changed) == nil)
  }

  @Test func `a file is not used again when its record has it, or it is old`() {
    var sent = SentFiles()
    Self.send(1, for: "a", &sent)
    sent.forgetOld(now: Self.now + SentFiles.lifetime - .seconds(1))
    #expect(sent.asset(at: Self.place("a"), of: Self.original) == Self.asset)
    sent.forgetOld(now: Self.now + SentFiles.lifetime)
    #expect(sent.asset(at: Self.place("a"), of: Self.original) == nil)
    Self.send(1, for: "b", &sent)
    sent.forget(Self.record("b", files: 1).id)
    #expect(sent.asset(at: Self.place("b"), of: Self.original) == nil)
  }

  @Test func `no more files are sent when as many wait as a server keeps`() {
    var sent = SentFiles()
    #expect(sent.hasRoom(for: Self.record("first", files: 900)), "one alone always has room")
    Self.send(299, for: "a", &sent)
    #expect(sent.hasRoom(for: Self.original))
    #expect(sent.hasRoom(for: Self.record("b", files: 1)))
    #expect(!sent.hasRoom(for: Self.record("b", files: 2)))
    Self.send(300, for: "a", &sent)
    #expect(!sent.hasRoom(for: Self.original))
    #expect(sent.hasRoom(for: Self.record("a", files: 300)), "they are there")
    #expect(sent.hasRoom(for: Self.record("b", files: 0)))
    sent.forget(Self.record("a", files: 1).id)
    #expect(sent.hasRoom(for: Self.record("b", files: 2)))
  }

  @Test func `sizes count too, and nonsense is no overflow`() {
    var sent = SentFiles()
    Self.send(1, for: "a", &sent)
    #expect(sent.hasRoom(for: Self.record("b", files: 1, of: SentFiles.mostBytes - 3)))
    #expect(!sent.hasRoom(for: Self.record("b", files: 1, of: SentFiles.mostBytes - 2)))
    #expect(!sent.hasRoom(for: Self.record("b", files: 9, of: .max)))
  }
}
