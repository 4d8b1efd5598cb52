// The text of each published step of the tables. Stores out there were made by exactly these: an edited step would
// leave them without what new ones have, and no test with new stores would notice.

import Testing

@testable import BrumePostgres
@testable import BrumeSQLite

@Suite struct PublishedMigrationsTests {
  @Test func `no published step of SQLite's tables is changed: a new one is added at the end`() {
    let published = [
      "249b748ff4c5022d", "615042b5c769f58c", "897c489e6387c1e6", "c053b8da7bfed667",
      "9d7ce1853bbb6441", "59ca890a7272c1b5", "b669d243f9fa9952", "6d32bb3136235af0",
      "25f856acb7c4a533", "fb84ee112c364fd3", "8afe47c4f8dae1bc", "8d43eb6689a197dc",
      "e468ef36f0f92d12", "23c40790f84e3043", "a82b6f3264d55912", "3b398ff3a11b757e",
      "f3dd5cb679197ffa",
    ]
    #expect(BrumeSQLite.Migrations.steps.map(Self.hash) == published)
  }

  @Test func `no published step of PostgreSQL's tables is changed: a new one is added at the end`()
  {
    let published = [
      "2599d236854c6f0e", "28d3b88a1f797f3a", "9065d9ab806d2a69", "4942e6afb93c6c15",
      "75b434a93a24aca0", "c64dd104cdd53a6", "3498e9d3fce33e7f", "6317e1dc900b7711",
    ]
    #expect(BrumePostgres.Migrations.all.map(Self.hash) == published)
  }

  /// FNV-1a with 64 bits: nobody has a reason to look for another text with the same one.
  private static func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return String(hash, radix: 16)
  }
}
