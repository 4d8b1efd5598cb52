// Delivery to the outside in SQLite: devices with pending entries, senders for Apple, webhooks.

import BrumeModel
import BrumeStorage

extension SQLiteTransaction {
  func devicesWithPendingEntries(
    after cursor: Int64?, limit: Int
  ) throws -> (devices: [Device], next: Int64?) {
    let found = try connection.all(
      Self.withPendingEntries,
      {
        $0.bind(1, cursor ?? 0)
        $0.bind(2, limit)
      }
    ) { (try $0.device(), $0.int(9)) }
    return (found.map(\.0), found.count < limit ? nil : found.last?.1)
  }

  func devices(address: String) throws -> [Device] {
    try connection.all(Self.atAddress, { $0.bind(1, address) }) { try $0.device() }
  }

  private static let withPendingEntries = SQL(
    """
    SELECT \(deviceColumns), id FROM devices
    WHERE channel IN ('apns', 'webpush') AND id > ?1
      AND EXISTS (SELECT 1 FROM mailbox WHERE mailbox.device = devices.id)
    ORDER BY id LIMIT ?2
    """)
  private static let atAddress = SQL(
    """
    SELECT \(deviceColumns) FROM devices
    WHERE token = ?1 AND channel IN ('apns', 'webpush') ORDER BY container, environment, user, device
    """)
}

// MARK: APNs

extension SQLiteTransaction {
  func apnsSenders(of container: ContainerID) throws -> [APNsSender] {
    try connection.all(Self.senders, { $0.bind(1, container.name) }) { row in
      APNsSender(
        container: container, topic: row.text(0), team: row.text(1), keyID: row.text(2),
        privateKey: row.text(3))
    }
  }

  func put(_ sender: APNsSender) throws {
    try connection.run(Self.putSender) {
      $0.bind(1, sender.container.name)
      $0.bind(2, sender.topic)
      $0.bind(3, sender.team)
      $0.bind(4, sender.keyID)
      $0.bind(5, sender.privateKey)
    }
  }

  func removeAPNsSender(_ topic: String, of container: ContainerID) throws -> Bool {
    guard try apnsSenders(of: container).contains(where: { ByteText($0.topic) == ByteText(topic) })
    else { return false }
    try connection.run(Self.removeSender) {
      $0.bind(1, container.name)
      $0.bind(2, topic)
    }
    return true
  }

  private static let senders = SQL(
    "SELECT topic, team, key_id, private_key FROM apns_senders WHERE container = ?1 ORDER BY id")
  private static let putSender = SQL(
    """
    INSERT INTO apns_senders (container, topic, team, key_id, private_key)
    VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (container, topic) DO UPDATE
      SET team = excluded.team, key_id = excluded.key_id, private_key = excluded.private_key
    """)
  private static let removeSender = SQL(
    "DELETE FROM apns_senders WHERE container = ?1 AND topic = ?2")
}

// MARK: Webhooks

extension SQLiteTransaction {
  func webhooks() throws -> [Webhook] {
    try connection.all(Self.allWebhooks) { try $0.webhook() }
  }

  func webhook(_ id: String) throws -> Webhook? {
    try connection.first(Self.findWebhook, { $0.bind(1, id) }) { try $0.webhook() }
  }

  func put(_ webhook: Webhook) throws {
    forgetWatchers()
    try connection.run(Self.putWebhook) {
      $0.bind(1, webhook.id)
      $0.bind(2, webhook.container.name)
      $0.bind(3, webhook.environment.rawValue)
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

  func removeWebhook(_ id: String) throws -> Bool {
    guard try webhook(id) != nil else { return false }
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
      id: text(0), container: ContainerID(text(1)), environment: try environment(2), url: text(3),
      secret: blob(4), created: int(5), cursor: LogPositions(int(6), in: .only))
    webhook.batchEnd = optionalInt(7).map { .init(bucket: .only, position: $0) }
    webhook.failures = Int(clamping: int(8))
    webhook.disabledBecause = optionalText(9)
    webhook.missed = bool(10)
    return webhook
  }
}
