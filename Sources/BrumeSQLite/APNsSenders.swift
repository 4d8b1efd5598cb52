// Who signs for Apple, in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteAPNsSenders: APNsSenderWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func all(of container: ContainerID) throws -> [APNsSender] {
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

  func remove(_ topic: String, of container: ContainerID) throws -> Bool {
    guard try all(of: container).contains(where: { ByteText($0.topic) == ByteText(topic) })
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
