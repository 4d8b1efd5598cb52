// An entry of an index that seems to be another zone's ends the search for what is in the zone. Nothing that is to
// be whole may take the rest for all. And a row that seems to be another device's than its entry in the index says.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumeSQLite

@Suite struct HiddenRowsTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let pageBytes = 4096
  private static let leafOfIndex: UInt8 = 10
  private static let leafOfTable: UInt8 = 13

  private static func count(_ store: SQLiteStore) async throws -> Int {
    try await store.snapshot { source in
      let rows = try source.rows(of: .records)
      var count = 0
      while try rows.next() != nil { count += 1 }
      return count
    }
  }

  /// A number that stands before a name, in one byte if it is more than 1, is another by 4.
  private func flip(_ number: UInt8, before name: String, on leaf: UInt8) throws {
    let url = URL(filePath: folder.path + "/data/brume.sqlite")
    var bytes = try Data(contentsOf: url)
    let wanted = Data([number] + Array(name.utf8))
    var flipped = 0
    for start in stride(from: 0, to: bytes.count, by: Self.pageBytes)
    where bytes[start] == leaf {
      guard let entry = bytes[start..<start + Self.pageBytes].range(of: wanted) else { continue }
      bytes[entry.lowerBound] ^= 4
      flipped += 1
    }
    #expect(flipped == 1)
    try bytes.write(to: url)
  }

  @Test func `rows that a damaged index hides are missed`() async throws {
    let store = try folder.openSQLite()
    try await store.write(in: .all) { transaction in
      try transaction.putNext("first", in: .sample("One"))
      for number in 10..<40 { try transaction.putNext("note-\(number)", in: .sample("Two")) }
    }
    #expect(try await Self.count(store) == 31)
    try await store.close()
    try flip(2, before: "note-20", on: Self.leafOfIndex)
    let damaged = try folder.openSQLite()
    let error = await #expect(throws: StoreError.self) { try await Self.count(damaged) }
    #expect(error?.code == .corrupt)
    #expect(error?.description.contains("leads to 11 of 31") == true, "\(error?.description ?? "")")
    try await damaged.close()
  }

  /// Also when it was forgotten with its number: the index leads its device to it, and it is news all the same.
  @Test(arguments: [false, true])
  func `a push whose row names another device is its device's, and is taken out once sent`(
    isForgotten: Bool
  ) async throws {
    let devices = (1...3).map {
      DeviceKey(in: .sample, user: UserID("_a1"), device: DeviceID("d\($0)"))
    }
    let store = try folder.openSQLite()
    try await store.write(in: .all) { transaction in
      for (number, key) in devices.enumerated() {
        try transaction.devices.put(Device(key: key, channel: .stream, registered: 0))
        try transaction.mailboxes.enqueue(
          MailboxEntry(
            position: 0, notificationID: "push-\(number)", subscriptionID: "s", collapseID: nil,
            payload: [1], time: 0, requestID: "R"),
          to: key)
      }
    }
    try await store.close()
    try flip(3, before: "push-2", on: Self.leafOfTable)
    if isForgotten {
      let forgotten = try DamagedRowRemoval.run(
        folder: folder.path + "/data", tables: ["mailbox"],
        keeping: AuditBounds(lines: 9, refusals: 9, oldest: 0)
      ) { _ in ForgottenRowsTests.line("doctor/forget", "") }
      #expect(forgotten.map(\.rows.count) == [1])
    }
    let damaged = try folder.openSQLite()
    let waiting = try await Self.entries(of: devices[2], damaged)
    #expect(waiting.map(\.notificationID) == [isForgotten ? "" : "push-2"])
    let position = try #require(waiting.first).position
    try await damaged.write(in: .all) {
      try $0.mailboxes.remove(at: position, of: devices[2])
    }
    #expect(try await Self.entries(of: devices[2], damaged) == [])
    #expect(try await Self.entries(of: devices[0], damaged).count == 1)
    try await damaged.close()
  }

  private static func entries(
    of device: DeviceKey, _ store: SQLiteStore
  ) async throws -> [MailboxEntry] {
    try await store.read { try $0.mailboxes.entries(of: device, after: 0, limit: 10) }
  }
}
