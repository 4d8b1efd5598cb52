// After which downloads a folder of fetched files is looked through.

import Testing

@testable import BrumeClient

struct PruneTurnsTests {
  private var turns = PruneTurns()
  private let limit: Int64 = 32_000

  /// Which of so many downloads, counted from 1, a look follows.
  private mutating func looks(
    _ downloads: Int, of bytes: Int64 = 1, in folder: String = "a"
  ) -> [Int] {
    (1...downloads).filter { _ in turns.isDue(in: folder, after: bytes, of: limit) }
  }

  @Test mutating func `a look follows the first download and each 64th after it`() {
    #expect(looks(200) == [1, 65, 129, 193])
  }

  @Test mutating func `a look follows each 32nd part of the limit of bytes`() {
    #expect(looks(9, of: 400) == [1, 4, 7])
    #expect(looks(1, of: 1000) == [1])
    #expect(looks(2, of: 999) == [2])
  }

  @Test mutating func `each folder has its own turn`() {
    #expect(looks(60) == [1])
    #expect(looks(60, in: "b") == [1])
    #expect(looks(60) == [5])
  }

  @Test mutating func `the more names a folder has, the fewer looks`() {
    _ = looks(1)
    turns.found(1024, in: "a")
    #expect(looks(64) == [64])
    turns.found(3200, in: "a")
    #expect(looks(400) == [200, 400])
    turns.found(10, in: "a")
    #expect(looks(128) == [64, 128])
  }

  @Test mutating func `a first sync of 10,000 files reads few names for each`() {
    var read = 0
    for file in 1...10_000 where turns.isDue(in: "a", after: 1, of: 2 << 30) {
      read += 2 * file
      turns.found(2 * file, in: "a")
    }
    #expect(read < 20 * 10_000)
  }

  @Test mutating func `a process remembers so many folders`() {
    for folder in 1...PruneTurns.folders { _ = looks(1, in: "\(folder)") }
    #expect(looks(1, in: "1") == [])
    #expect(looks(1, in: "one more") == [1])
    #expect(looks(1, in: "1") == [1], "they begin again")
  }
}
