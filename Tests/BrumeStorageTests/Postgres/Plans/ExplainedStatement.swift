// Plans of statements as PostgreSQL's module auto_explain writes them into the server's log, with what each part
// has really read.

import Foundation

struct ExplainedStatement {
  let text: String
  let root: PlanNode

  /// All statements in a log.
  static func all(in log: String) throws -> [ExplainedStatement] {
    var texts: [String] = []
    for line in log.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("LOG:  duration:") {
        texts.append("")
      } else if line.hasPrefix("\t"), let last = texts.indices.last {
        texts[last] += line.dropFirst() + "\n"
      }
    }
    return try texts.map { text in
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
      return ExplainedStatement(
        text: json["Query Text"] as? String ?? "", root: PlanNode(json["Plan"] as? [String: Any]))
    }
  }

  /// What is not as it should be.
  var faults: [String] { root.all.compactMap(\.fault) }
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
  /// One row, or one of each bucket, process or webhook.
  private static let smallTables = ["store", "buckets", "mail", "notifiers", "nodes", "webhooks"]

  fileprivate var fault: String? {
    if read > Self.most { return "reads much: \(description)" }
    if kind == "Sort", read > 100 { return "sorts much: \(description)" }
    guard let relation, kind.hasSuffix("Scan"), !Self.smallTables.contains(relation) else {
      return nil
    }
    if kind == "Seq Scan" { return "scans a table: \(description)" }
    guard let index, let columns = Self.columns[index] else { return nil }
    let missing = columns.filter { !condition.contains($0) }
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
  ]
}
