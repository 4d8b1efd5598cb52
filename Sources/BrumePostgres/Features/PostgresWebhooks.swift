// Webhooks in PostgreSQL. The notifier of each bucket moves those that are too far behind, without the lock under which all
// others change them; so what a body has read of one is compared when it writes.

import BrumeModel
import BrumeStorage

final class PostgresWebhooks: WebhookWriting, Remembering {
  private let session: Session
  /// What was read of each that may change, by ID.
  private var known: [String: [SQLValue]] = [:]

  init(_ session: Session) { self.session = session }

  func all() throws -> [Webhook] {
    try session.all(Self.all) { try read($0) }
  }

  func find(_ id: String) throws -> Webhook? {
    known[id] = nil
    return try session.first(Self.find, [.text(id)]) { try read($0) }
  }

  private func read(_ row: Row) throws -> Webhook {
    let webhook = try row.webhook()
    known[webhook.id] = row.webhookState
    return webhook
  }

  /// Fails with a division by zero if another transaction was faster; then all bodies run again.
  func put(_ webhook: Webhook) throws {
    let state = webhook.state
    if let before = known.updateValue(state, forKey: webhook.id) {
      return session.run(Self.change, [.text(webhook.id)] + before + state)
    }
    session.put(
      [.text(webhook.id)] + webhook.containerEnvironment.values + [
        .text(webhook.url), .bytes(webhook.secret), .integer(webhook.created),
      ] + state, in: Self.table)
  }

  func remove(_ id: String) throws -> Bool {
    guard try find(id) != nil else { return false }
    known[id] = nil
    session.remove([.text(id)], from: Self.table)
    return true
  }

  func forget() { known = [:] }

  private static let table = Table(
    "webhooks", key: [("id", .text)],
    columns: [
      ("container", .text), ("environment", .text), ("url", .text), ("secret", .bytes),
      ("created", .integer), ("log_positions", .text), ("batch_bucket", .integer),
      ("batch_end", .integer), ("failures", .integer), ("disabled_because", .text),
      ("missed", .integer),
    ])
  private static let select = """
    SELECT id, container, environment, url, secret, created, log_positions, batch_bucket,
      batch_end, failures, disabled_because, missed
    FROM webhooks
    """
  private static let all = SQL("\(select) ORDER BY id")
  private static let find = SQL("\(select) WHERE id = $1")
  private static let state =
    "(log_positions, batch_bucket, batch_end, failures, disabled_because, missed)"
  private static let change = SQL(
    """
    WITH done AS (
      UPDATE webhooks SET \(state) = ($8, $9, $10, $11, $12, $13)
      WHERE id = $1 AND \(state) IS NOT DISTINCT FROM ($2, $3, $4, $5, $6, $7) RETURNING 1)
    SELECT 1 / count(*) FROM done
    """)
}

extension Webhook {
  /// The columns that change.
  fileprivate var state: [SQLValue] {
    [
      .text(cursor.text), .integer(batchEnd.map { Int64($0.bucket.number) }),
      .integer(batchEnd?.position), .integer(failures), .text(disabledBecause), .flag(missed),
    ]
  }
}

extension Row {
  /// The columns that change, as they stand there.
  fileprivate var webhookState: [SQLValue] {
    [
      .text(text(6)), .integer(optionalInteger(7)), .integer(optionalInteger(8)),
      .integer(integer(9)), .text(optionalText(10)), .integer(integer(11)),
    ]
  }

  fileprivate func webhook() throws -> Webhook {
    var webhook = Webhook(
      id: text(0), in: try containerEnvironment(1), url: text(3), secret: bytes(4),
      created: integer(5), cursor: try LogPositions(text: text(6)))
    webhook.batchEnd = optionalInteger(7).map { bucket in
      Webhook.BatchEnd(bucket: Bucket(Int(bucket)), position: integer(8))
    }
    webhook.failures = Int(clamping: integer(9))
    webhook.disabledBecause = optionalText(10)
    webhook.missed = flag(11)
    return webhook
  }
}
