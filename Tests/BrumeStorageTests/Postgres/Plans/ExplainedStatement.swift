// Plans of statements as PostgreSQL's module auto_explain writes them into the server's log, with what each part
// has really read.

import Foundation

struct ExplainedStatement {
  let text: String
  let root: PlanNode

  /// All statements in a log, except one that is being written.
  static func all(in log: String) throws -> [ExplainedStatement] {
    var texts: [String] = []
    for line in log.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("LOG:  duration:") {
        texts.append("")
      } else if line.hasPrefix("\t"), let last = texts.indices.last {
        texts[last] += line.dropFirst() + "\n"
      }
    }
    if let last = texts.last, !last.hasSuffix("\n}\n") { texts.removeLast() }
    return try texts.map { text in
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
      return ExplainedStatement(
        text: json["Query Text"] as? String ?? "", root: PlanNode(json["Plan"] as? [String: Any]))
    }
  }

  /// What is not as it should be.
  var faults: [String] { root.all.compactMap { $0.fault(comparing: compared) } }

  /// How many columns of an index are compared at least.
  private var compared: Int { isOfZone ? 2 : isOfFirst ? 4 : .max }

  /// Whether it asks if anything is there, and ends with the first row.
  private var isOfFirst: Bool { text.hasPrefix("SELECT 1 FROM ") && text.hasSuffix(" LIMIT 1") }

  /// Whether it names a zone and nothing in it: all of it goes.
  private var isOfZone: Bool {
    ["", ")"].contains { text.hasSuffix("WHERE bucket = $1 AND zone = $2\($0)") }
  }
}

/// A part of a plan.
struct PlanNode {
  let kind: String
  let relation: String?
  let index: String?
  let condition: String
  /// Rows that it has read to answer those that it answered, all times together.
  let read: Int
  let children: [PlanNode]

  init(_ json: [String: Any]?) {
    let json = json ?? [:]
    func number(_ name: String) -> Int { (json[name] as? NSNumber)?.intValue ?? 0 }
    kind = json["Node Type"] as? String ?? "?"
    relation = json["Relation Name"] as? String
    index = json["Index Name"] as? String
    condition = json["Index Cond"] as? String ?? ""
    let removed = ["Filter", "Index Recheck", "Join Filter"].map { "Rows Removed by \($0)" }
    read =
      (number("Actual Rows") + removed.reduce(0) { $0 + number($1) })
      * max(1, number("Actual Loops"))
    children = (json["Plans"] as? [[String: Any]] ?? []).map { PlanNode($0) }
  }

  var all: [PlanNode] { [self] + children.flatMap(\.all) }

  var description: String {
    "\(kind) \(relation ?? "") \(index ?? "") \(condition), \(read) rows"
  }

  /// Ours: rows that a part may read for a request of 200 records.
  private static let most = 450
  /// One row, or one of each bucket, process or webhook, or as many as a limit says.
  private static let smallTables = [
    "store", "buckets", "mail", "notifiers", "nodes", "webhooks", "used_signature_count",
    "failed_attempts",
  ]

  fileprivate func fault(comparing compared: Int) -> String? {
    if read > Self.most { return "reads much: \(description)" }
    if kind == "Sort", read > 100 { return "sorts much: \(description)" }
    guard let relation, kind.hasSuffix("Scan"), !Self.smallTables.contains(relation),
      !relation.hasPrefix("pg_"), kind != "Tid Scan"
    else { return nil }
    if kind == "Seq Scan" { return "scans a table: \(description)" }
    guard let index else { return "scans without an index: \(description)" }
    guard let columns = Self.columns[index] else { return "what is compared? \(description)" }
    let missing = columns.prefix(compared).filter { !condition.contains($0) }
    return missing.isEmpty ? nil : "looks up without \(missing): \(description)"
  }

  /// What is compared whenever an index is used.
  private static let columns = [
    "records_pkey": ["bucket", "zone", "name"],
    "records_by_sequence": ["bucket + 0", "zone + 0", "sequence"],
    "records_by_parent": ["bucket + 0", "zone + 0", "parent"],
    "record_references_pkey": ["bucket", "zone", "target", "action"],
    "log_pkey": ["bucket", "position"],
    "zones_pkey": ["bucket", "id"],
    "databases_pkey": ["bucket", "id"],
    "settings_pkey": ["bucket", "name"],
    "query_index_pkey": ["bucket", "key"],
    "index_keys_pkey": ["bucket", "id"],
    "index_keys_by_zone": ["bucket", "zone"],
    "wanted_fields_pkey": ["bucket", "zone"],
    "mailbox_pkey": ["bucket", "container", "environment", "user_id"],
    "devices_pkey": ["bucket", "container", "environment", "user_id"],
    "subscriptions_pkey": ["bucket", "container", "environment", "scope", "user_id"],
    "subscriptions_by_type": ["bucket", "container", "environment", "scope", "watched_type"],
    "kept_notifications_pkey": ["bucket", "container", "environment", "user_id"],
    "inboxes_pkey": ["bucket", "container", "environment", "user_id"],
    "badges_pkey": ["bucket", "container", "environment", "user_id"],
    "writers_pkey": ["name"],
    "databases_bucket_container_environment_owner_key": [
      "bucket", "container", "environment", "owner",
    ],
    "zones_bucket_database_name_key": ["bucket", "database"],
    "zones_by_sequence": ["bucket", "database"],
    "wanted_fields_unfinished": ["bucket"],
    "mailbox_by_position": ["bucket", "position"],
    "devices_of_user": ["user_id"],
    "devices_by_token": ["token"],
    "devices_pushed_by_key": ["bucket + 0", "container", "environment", "user_id", "device"],
    "subscriptions_by_serial": ["bucket", "serial"],
    "subscriptions_to_shared_by_serial": ["serial"],
    "subscriptions_to_shared": ["container", "environment", "watched_type"],
    // Of a user only so many are kept: with old plans a page of them is taken from all, and sorted.
    "kept_notifications_by_id": ["bucket", "container", "environment", "user_id"],
    "served_changes_pkey": ["bucket"],
    "served_changes_by_position": ["bucket", "position"],
    "account_changes_pkey": ["number"],
    "users_pkey": ["id"],
    "users_by_name": ["name"],
    "users_by_email": ["lower(email)"],
    "users_by_phone": ["phone"],
    "identities_pkey": ["issuer", "subject"],
    "role_members_pkey": ["container", "environment", "role", "user_id"],
    "roles_of_user": ["container", "environment", "user_id"],
    "api_tokens_pkey": ["token"],
    "server_keys_pkey": ["id"],
    "used_signatures_pkey": ["identity"],
    "used_signatures_by_time": ["\"time\""],
    "memberships_pkey": ["bucket", "container", "environment", "user_id"],
    "members_pkey": ["bucket", "zone"],
    "short_guids_pkey": ["guid"],
    "asset_files_pkey": ["checksum"],
    "asset_files_by_idleness": ["idle_since"],
    "asset_holders_pkey": ["bucket", "zone", "name", "checksum"],
    "asset_holders_by_file": ["checksum"],
    "asset_discards_pkey": ["object"],
    "apns_senders_pkey": ["container"],
    "asset_uploads_pkey": ["id"],
    "asset_uploads_by_checksum": ["checksum"],
    "asset_uploads_by_time": ["began"],
    "push_log_pkey": ["position"],
  ]
}
