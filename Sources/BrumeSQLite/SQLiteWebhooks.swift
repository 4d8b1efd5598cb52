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

  /// Without those that are damaged: nothing is sent to them, and `find` refuses them.
  func all() throws -> [Webhook] {
    try connection.allWhole(Self.allWebhooks, .webhooks) { try $0.webhook() }
  }

  func find(_ id: String) throws -> Webhook? {
    try connection.firstWhole(
      Self.findWebhook, .webhooks, "the webhook '\(NameRules.shown(id))'", { $0.bind(1, id) }
    ) { try $0.webhook() }
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
    try connection.changes { try connection.run(Self.removeWebhook) { $0.bind(1, id) } } > 0
  }

  private static let webhookColumns = SummedTable.webhooks.whole
  private static let allWebhooks = SQL("SELECT \(webhookColumns) FROM webhooks ORDER BY id")
  private static let findWebhook = SQL("SELECT \(webhookColumns) FROM webhooks WHERE id = ?1")
  private static let putWebhook = SQL(SummedTable.webhooks.replace)
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
