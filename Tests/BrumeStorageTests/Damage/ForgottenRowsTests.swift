// Damaged rows that are of no use to anybody can be forgotten, and a backup is whole afterwards.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import GRDB
import Testing

@testable import BrumeSQLite

@Suite struct ForgottenRowsTests {
  let folder: TemporaryFolder
  private var data: String { folder.path + "/data" }
  private static let bounds = AuditBounds(lines: 100, refusals: 100, oldest: 0)

  init() throws { folder = try TemporaryFolder() }

  static func line(_ action: String, _ subject: String) -> AuditEntry {
    AuditEntry(
      time: 9, operatorName: "owner", address: "", requestID: "R", action: action,
      subject: subject, container: "", environment: "", status: 200, isRefused: false)
  }

  /// A store with three lines of the audit log and of the push log, and the middle ones damaged.
  private func damagedStore() async throws {
    let store = try folder.openSQLite()
    try await DamageFixture.fill(store)
    try await store.write(in: .server) { transaction in
      for number in 1...3 {
        try transaction.audit.append(Self.line("act\(number)", ""), keeping: Self.bounds)
        try transaction.pushLog.append(DamageFixture.push(number), limit: 10)
      }
    }
    try await store.close()
    try change("UPDATE audit SET subject = 'lie' WHERE action = 'act2'")
    try change("UPDATE push_log SET reason = 'lie' WHERE position = 2")
  }

  private func change(_ statement: String) throws {
    try folder.onFile { try $0.execute(sql: statement) }
  }

  private func forget(_ tables: String...) throws -> [DamagedRowRemoval.Forgotten] {
    try DamagedRowRemoval.run(folder: data, tables: tables, keeping: Self.bounds) { forgotten in
      Self.line("doctor/forget", "\(forgotten.rows.count) of \(forgotten.table)")
    }
  }

  private func findings() throws -> [String] {
    try SQLiteInspection(folder: data, coders: .wireForm).run().findings
  }

  @Test func `a damaged line of the audit log ends a backup, which says how it is forgotten`()
    async throws
  {
    try await damagedStore()
    let store = try folder.openSQLite()
    let error = await #expect(throws: StoreError.self) { try await BackupFixture(of: store) }
    try await store.close()
    #expect(error?.description.contains("'brume doctor --forget push_log'") == true)
    let forgotten = try forget("audit", "push_log")
    #expect(forgotten.map(\.table) == ["audit", "push_log"])
    #expect(forgotten.map(\.rows) == [["position 2"], ["position 2"]])
    #expect(try findings() == [])
    let again = try folder.openSQLite()
    _ = try await BackupFixture(of: again)
    try await again.read { transaction in
      let lines = try transaction.audit.entries(AuditFilter(), before: .max, limit: 10)
      #expect(
        lines.map { "\($0.action) \($0.subject)" } == [
          "doctor/forget 1 of push_log", "doctor/forget 1 of audit", "act3 ", "act1 ",
        ])
      #expect(try transaction.pushLog.entries(PushLogFilter(), after: 0, limit: 10).count == 2)
    }
    try await again.close()
  }

  @Test func `only tables that were asked for lose rows, and only damaged ones`() async throws {
    try await damagedStore()
    #expect(try forget("webhooks").map(\.rows) == [[]])
    #expect(try findings().count == 2)
    #expect(try forget("records", "zones", "users").isEmpty)
    #expect(try forget("push_log").map(\.rows) == [["position 2"]])
    #expect(try findings() == ["audit: position 2 does not fit its checksum"])
  }

  @Test func `a push that waits and is damaged is news for its device all the same`() async throws {
    try await damagedStore()
    try change("UPDATE mailbox SET payload = x'01' WHERE notification = 'p1'")
    #expect(try forget("mailbox").map(\.rows.count) == [2])
    let store = try folder.openSQLite()
    let device = DeviceKey(in: .sample, user: UserID("_a1"), device: DeviceID("d0"))
    let entries = try await store.read {
      try $0.mailboxes.entries(of: device, after: 0, limit: 10)
    }
    #expect(entries.map(\.notificationID) == ["", "p2"])
    #expect(entries.first?.payload == [])
    #expect(store.damagedRows?.count == 0)
    try await store.close()
  }

  @Test func `nothing is forgotten in a folder that a server uses`() async throws {
    try await damagedStore()
    let store = try folder.openSQLite()
    let error = #expect(throws: StoreError.self) { try forget("audit") }
    #expect(error?.code == .inUse)
    try await store.close()
  }
}
