// Each table of SQLite has checksums of all its columns, or there is a reason why not; and a bit that flips in any
// value of any table is found, and never answered as if it were right. The tables are those that there are.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Foundation
import GRDB
import Testing

@testable import BrumeSQLite

@Suite struct EveryTableTests {
  let folder: TemporaryFolder
  private var file: String { folder.path + "/data/brume.sqlite" }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data", withIntermediateDirectories: false)
  }

  // MARK: The list

  /// Tables without sums: what each holds is written down elsewhere.
  private static let tablesWithout: [String: String] = [
    "query_index": "made of records; `brume doctor --deep` compares both ways",
    "record_references": """
    made of records, and a deletion looks whether a record does refer; `brume doctor --deep` compares both ways
    """,
    "asset_holders": """
    made of records, and never answered; `brume doctor --deep` compares both ways
    """,
    "sqlite_sequence": """
    SQLite's own: a number that is too small does nothing beside the rows that are there, and one that is too large \
    leaves a gap
    """,
  ]

  /// Columns that no sum is of.
  private static let columnsWithout: [String: String] = [
    "databases.id": "SQLite's number: no index leads to a row under another one",
    "records.id": "SQLite's number: no index leads to a row under another one",
    "subscriptions.serial": "only an order",
    "mailbox.digest": "keeps notifications apart, and is compared with nothing but itself",
  ]

  @Test(arguments: EveryTable.names)
  func `each table has sums of all its columns, or a reason why not:`(table: String) throws {
    let columns = try DatabaseQueue().inDatabase { database in
      try Migrations.run(on: database)
      return try EveryTable.columns(of: table, database).map(\.name)
    }
    let sums = SummedTable.all.filter { $0.name == table }
    #expect(sums.isEmpty == (Self.tablesWithout[table] != nil), "it needs sums, or a reason")
    guard !sums.isEmpty else { return }
    let summed = Set(sums.flatMap { $0.columns + [$0.sum] })
    #expect(summed.isSubset(of: columns))
    let rest = columns.filter {
      !summed.contains($0) && Self.columnsWithout["\(table).\($0)"] == nil
    }
    #expect(rest == [], "they need a sum, or a reason")
  }

  @Test func `there is a row in each table, or the tests show nothing`() async throws {
    try await restore()
    for table in EveryTable.names {
      let count = try folder.onFile {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      #expect(count > 0, "\(table)")
    }
    #expect(try inspection().findings == [])
    let filled = try await EveryTable.filled.value
    #expect(filled.claims.refusals == 0 && filled.claims.sentences.count > 150)
  }

  // MARK: Flipped bits

  /// Answers whether it was noticed by who asked, and what was answered wrongly.
  private func flip(
    _ column: EveryTable.Column, inLast: Bool, verifies: Bool = true
  ) async throws -> (isNoticed: Bool, lies: Set<String>) {
    try await restore()
    try folder.onFile { try EveryTable.flip(column, inLast: inLast, $0) }
    if verifies {
      let findings = try inspection().findings
      #expect(!findings.isEmpty, "\(column)")
      if Self.tablesWithout[column.table] == nil {
        #expect(findings.contains { $0.hasPrefix("\(column.table): ") }, "\(column)")
      }
    }
    // Damage may keep the store from being opened, which is an error too.
    guard let store = try? folder.openSQLite(verifiesRows: verifies) else { return (true, []) }
    let claims = await EveryTableClaims(of: store)
    let isNoticed = (store.damagedRows?.reads ?? 0) > 0
    try await store.close()
    let lies = claims.sentences.subtracting(try await EveryTable.filled.value.claims.sentences)
    // The last position of the log is SQLite's number of its last row.
    return (
      isNoticed,
      lies.filter { !DamagedRowsTests.saysLess($0) && !$0.hasPrefix("last position ") }
    )
  }

  /// What is only found by, and the numbers of SQLite's own.
  private func isAsked(_ column: EveryTable.Column) -> Bool {
    Self.columnsWithout["\(column)"] == nil && column.table != "sqlite_sequence"
  }

  @Test(arguments: EveryTable.names)
  func `a flipped bit is found by who reads everything, and never answered as if it were right:`(
    table: String
  ) async throws {
    let columns = try await columns(of: table).filter(isAsked)
    var noticed = 0
    for (index, column) in columns.enumerated() {
      let (isNoticed, lies) = try await flip(column, inLast: index % 2 == 1)
      if isNoticed { noticed += 1 }
      // Of what is only found by, see the reasons.
      if Self.tablesWithout[table] == nil { #expect(lies == [], "\(column)") }
    }
    // Used signatures are looked at when they are forgotten, gone records when their rows go.
    let isRead =
      Self.tablesWithout[table] == nil && !["used_signatures", "gone_records"].contains(table)
    #expect(noticed > 0 || !isRead, "who asks for what is damaged counts it")
  }

  @Test(arguments: [
    "users", "identities", "devices", "memberships", "short_guids", "role_members", "api_tokens",
    "server_keys", "operators", "operator_credentials", "webhooks", "apns_senders", "inboxes",
    "audit", "push_log", "served_changes", "asset_files", "asset_uploads", "asset_discards",
  ])
  func `without checksums the same bits are answered as if they were right:`(
    table: String
  ) async throws {
    var lies: Set<String> = []
    for column in try await columns(of: table) {
      lies.formUnion(try await flip(column, inLast: false, verifies: false).lies)
    }
    #expect(lies != [])
  }

  // MARK: What is written over it

  @Test func `a change of one column leaves a whole row whole, and a damaged one damaged`()
    async throws
  {
    try await restore()
    let store = try folder.openSQLite()
    try await changeColumns(store)
    try await store.close()
    #expect(try inspection().findings == [])

    try await restore()
    try folder.onFile { database in
      for (table, column) in [
        ("audit", "action"), ("asset_files", "size"), ("wanted_fields", "started"),
        ("index_keys", "cut"),
      ] {
        try database.execute(
          sql: "UPDATE \(table) SET \(column) = ifnull(\(column), 0) || '1'")
      }
    }
    let damaged = try inspection().findingCount
    let again = try folder.openSQLite()
    try await changeColumns(again)
    try await again.close()
    #expect(try inspection().findingCount == damaged)
  }

  /// Changes that write a part of a row.
  private func changeColumns(_ store: SQLiteStore) async throws {
    try await store.write(in: .everything(of: store)) { transaction in
      try transaction.audit.setStatus(500, ofRequest: "R2")
      let key = RecordKey(zone: .sample(owner: nil), name: "a")
      try transaction.records.remove(
        key, type: "Trail", coveringShares: [],
        sequence: try transaction.sequences.next(in: key.zone.database))
      try transaction.notifications.setBadge(9, of: UserID("_a1"), in: .sample)
    }
    try await store.onWriter { connection in
      let keys = IndexKeyRows(connection)
      let zone = try connection.first(SQL("SELECT zone FROM wanted_fields")) { $0.int(0) } ?? 0
      let part = IndexPart(type: RecordTypeRowKey(zone: zone, type: "Hut"), field: "n")
      try keys.setBehind(part, 3)
      try keys.setBehind(part, nil)
      let ids = try connection.all(SQL("SELECT id FROM index_keys")) { $0.int(0) }
      for key in ids { try keys.markCut(key: key) }
    }
  }

  @Test func `who writes a whole row anew makes it whole`() async throws {
    try await restore()
    try folder.onFile {
      try $0.execute(sql: "UPDATE devices SET token = token || 'x', registered = 7")
    }
    let store = try folder.openSQLite()
    let key = DeviceKey(in: .sample, user: UserID("_a1"), device: DeviceID("d1"))
    #expect(try await store.read { try $0.devices.find(key) } == nil)
    let device = Device(key: key, channel: .courier(token: "new"), registered: 8)
    try await store.write(in: .everything(of: store)) { try $0.devices.put(device) }
    #expect(try await store.read { try $0.devices.find(key) } == device)
    try await store.close()
  }

  // MARK: What must not be left out

  @Test func `a store whose only operator is damaged does not look as if it had none`() async throws
  {
    try await restore()
    try folder.onFile { try $0.execute(sql: "UPDATE operators SET role = 'full'") }
    let store = try folder.openSQLite()
    await #expect(throws: BrumeError.self) { try await store.read { try $0.operators.all().count } }
    try await store.close()
  }

  @Test func `a damaged signature is counted when it is forgotten`() async throws {
    try await restore()
    try folder.onFile { try $0.execute(sql: "UPDATE used_signatures SET time = time + 1") }
    let store = try folder.openSQLite()
    try await store.write(in: .everything(of: store)) {
      _ = try $0.credentials.use(signature: "new", at: 9000, after: 8000, limit: 10)
    }
    #expect(store.damagedRows?.reads == 3)
    try await store.close()
  }

  @Test func `pages are full, whatever is damaged before their end`() async throws {
    try await restore()
    try folder.onFile { try $0.execute(sql: "UPDATE users SET phone = 'x' WHERE id = '_a1'") }
    let store = try folder.openSQLite()
    let page = try await store.read { try $0.users.page(after: nil, limit: 2).map(\.id.name) }
    #expect(page == ["_b2", "_c3"])
    try await store.close()
  }

  // MARK: Support

  private func restore() async throws {
    let whole = try await EveryTable.filled.value.file
    try whole.write(to: URL(fileURLWithPath: file))
  }

  private func columns(of table: String) async throws -> [EveryTable.Column] {
    try await restore()
    return try folder.onFile { try EveryTable.columns(of: table, $0) }
  }

  private func inspection() throws -> StoreInspection {
    try SQLiteInspection(folder: folder.path + "/data", coders: .wireForm).run()
  }
}
