// Who signs for Apple, in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteAPNsSenders: APNsSenderWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Without those that are damaged: nothing is signed with them.
  func all(of container: ContainerID) throws -> [APNsSender] {
    try connection.allWhole(Self.senders, .apnsSenders, { $0.bind(1, container.name) }) { row in
      APNsSender(
        container: container, topic: row.text(1), team: row.text(2), keyID: row.text(3),
        privateKey: row.text(4))
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
    try connection.changes {
      try connection.run(Self.removeSender) {
        $0.bind(1, container.name)
        $0.bind(2, topic)
      }
    } > 0
  }

  private static let senders = SQL(
    "SELECT \(SummedTable.apnsSenders.whole) FROM apns_senders WHERE container = ?1 ORDER BY id")
  private static let putSender = SQL(
    SummedTable.apnsSenders.insertNext(
      ending: """
        ON CONFLICT (container, topic) DO UPDATE
          SET team = excluded.team, key_id = excluded.key_id, private_key = excluded.private_key,
            checksum = row_sum(?1, ?2, ?3, ?4, ?5, id)
        """))
  private static let removeSender = SQL(
    "DELETE FROM apns_senders WHERE container = ?1 AND topic = ?2")
}
