// Webhooks in PostgreSQL.

import BrumeModel
import BrumeStorage

final class PostgresWebhooks: WebhookWriting {
  private let session: Session

  init(_ session: Session) { self.session = session }

  func all() throws -> [Webhook] {
    try session.all(Self.all) { try $0.webhook() }
  }

  func find(_ id: String) throws -> Webhook? {
    try session.first(Self.find, [.text(id)]) { try $0.webhook() }
  }

  func put(_ webhook: Webhook) throws {
    session.put(
      [.text(webhook.id)] + webhook.containerEnvironment.values + [
        .text(webhook.url), .bytes(webhook.secret), .integer(webhook.created),
        .text(webhook.cursor.text), .integer(webhook.batchEnd.map { Int64($0.bucket.number) }),
        .integer(webhook.batchEnd?.position), .integer(webhook.failures),
        .text(webhook.disabledBecause), .flag(webhook.missed),
      ], in: Self.table)
  }

  func remove(_ id: String) throws -> Bool {
    guard try find(id) != nil else { return false }
    session.remove([.text(id)], from: Self.table)
    return true
  }

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
}

extension Row {
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
