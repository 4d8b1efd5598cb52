// Every change of a backup file is found, and named with where it is.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct BackupDamageTests {
  private static func filled() async throws -> BackupFixture {
    let store = MemoryStore(coders: .wireForm)
    try await FilledStore.fill(store)
    return try await BackupFixture(of: store)
  }

  @Test func `a flipped bit is found wherever it is`() async throws {
    let whole = try await Self.filled()
    var random = SeededRandom(seed: 7)
    for _ in 0..<150 {
      var damaged = whole
      let place = Int.random(in: 0..<whole.bytes.count, using: &random)
      damaged.bytes[place] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
      let error = #expect(throws: StoreError.self) { try damaged.check() }
      #expect(error?.code == .corrupt, "byte \(place): \(error?.description ?? "nothing")")
    }
  }

  @Test func `a file that was cut is no backup, wherever it was cut`() async throws {
    let whole = try await Self.filled()
    var random = SeededRandom(seed: 8)
    let ends = (0..<100).map { _ in Int.random(in: 0..<whole.bytes.count, using: &random) }
    for end in ends + [0, 7, 8, whole.bytes.count - 1] {
      var cut = whole
      cut.bytes = Array(whole.bytes.prefix(end))
      #expect(throws: StoreError.self) { try cut.check() }
    }
    var longer = whole
    longer.bytes.append(0)
    #expect(throws: StoreError.self) { try longer.check() }
  }

  @Test func `damage is named with the table and the key that it hit`() async throws {
    var backup = try await Self.filled()
    var frames = BackupFrames(backup.read)
    var place: Int64?
    while let frame = try frames.next(), place == nil {
      let isOfRecords = frame.content.dropFirst().starts(with: Array("records".utf8))
      if frame.kind == .rows, isOfRecords { place = frame.end - 1 }
    }
    backup.bytes[Int(try #require(place))] ^= 1
    let error = #expect(throws: StoreError.self) { try backup.check() }
    // The frame before it is that of the zones.
    #expect(
      error?.description.contains("in table zones, after key 'iCloud.org.example.contract'") == true
    )
  }

  @Test func `frames that change places, and one that is missing, are found`() async throws {
    let whole = try await Self.filled()
    var frames = BackupFrames(whole.read)
    var all: [BackupFrame] = []
    while let frame = try frames.next() { all.append(frame) }
    var order = Array(all.indices)
    order.swapAt(2, 3)
    for kept in [order, order.filter { $0 != 4 }.sorted(), Array(order.dropLast())] {
      var changed = whole
      changed.bytes = BackupFrame.magic + kept.flatMap { all[$0].bytes }
      #expect(throws: StoreError.self) { try changed.check() }
      // Also by one who makes the hashes anew.
      changed.bytes = BackupFrame.magic
      for index in kept {
        let frame = all[index]
        changed.bytes +=
          BackupFrame(frame.kind, at: Int64(changed.bytes.count), frame.content).bytes
      }
      #expect(throws: StoreError.self) { try changed.check() }
    }
  }

  @Test func `a backup of a newer version is refused with a sentence, and what is no backup too`()
    async throws
  {
    var backup = try await Self.filled()
    var packer = Packer()
    packer.add(BackupHeader.version + 1)
    backup.bytes = BackupFrame.magic + BackupFrame(.header, at: 8, packer.bytes).bytes
    let error = #expect(throws: StoreError.self) { try backup.check() }
    #expect(error?.code == .tooNew)
    #expect(error?.description.contains("a newer version of Brume made this backup") == true)
    backup.bytes = Array("SQLite format 3".utf8)
    let other = #expect(throws: StoreError.self) { try backup.check() }
    #expect(other?.description == "this is no backup of Brume")
  }
}
