// Webhooks in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteWebhooks: WebhookWriting {
  private let connection: Connection
  private let watched: WatchedDatabases

  init(_ connection: Connection, _ watched: WatchedDatabases) {
    self.connection = connection
    self.watched = watched
  }

  func all() throws -> [Webhook] {
    try connection.all(Self.allWebhooks) { try $0.webhook() }
  }

  func find(_ id: String) throws -> Webhook? {
    try connection.first(Self.findWebhook, { $0.bind(1, id) }) { try $0.webhook() }
  }

  func put(_ webhook: Webhook) throws {
    watched.forget()
    try connection.run(Self.putWebhook) {
      $0.bind(1, webhook.id)
      $0.bind(webhook.containerEnvironment, from: 2)
      $0.bind(4, webhook.url)
      $0.bind(5, webhook.secret)
      $0.bind(6, webhook.created)
      $0.bind(7, webhook.cursor[.only])
      $0.bind(8, webhook.batchEnd?.position)
      $0.bind(9, webhook.failures)
      $0.bind(10, webhook.disabledBecause)
      $0.bind(11, webhook.missed)
    }
  }

  func remove(_ id: String) throws -> Bool {
    guard try find(id) != nil else { return false }
    try connection.run(Self.removeWebhook) { $0.bind(1, id) }
    return true
  }

  private static let webhookColumns = """
    id, container, environment, url, secret, created, cursor, batch_end, failures,
    disabled_because, missed
    """
  private static let allWebhooks = SQL("SELECT \(webhookColumns) FROM webhooks ORDER BY id")
  private static let findWebhook = SQL("SELECT \(webhookColumns) FROM webhooks WHERE id = ?1")
  private static let putWebhook = SQL(
    """
    INSERT OR REPLACE INTO webhooks (\(webhookColumns))
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    """)
  private static let removeWebhook = SQL("DELETE FROM webhooks WHERE id = ?1")
}

extension Prepared {
  fileprivate func webhook() throws -> Webhook {
    var webhook = Webhook(
      id: text(0), in: try containerEnvironment(1), url: text(3),
      secret: blob(4), created: int(5), cursor: LogPositions(int(6), in: .only))
    webhook.batchEnd = optionalInt(7).map { .init(bucket: .only, position: $0) }
    webhook.failures = Int(clamping: int(8))
    webhook.disabledBecause = optionalText(9)
    webhook.missed = bool(10)
    return webhook
  }
}
