// Who signs for Apple, in PostgreSQL.

import BrumeModel
import BrumeStorage

final class PostgresAPNsSenders: APNsSenderWriting {
  private let session: Session

  init(_ session: Session) { self.session = session }

  func all(of container: ContainerID) throws -> [APNsSender] {
    try session.all(Self.ofContainer, [.text(container.name)]) { row in
      APNsSender(
        container: container, topic: row.text(0), team: row.text(1), keyID: row.text(2),
        privateKey: row.text(3))
    }
  }

  func put(_ sender: APNsSender) throws {
    session.put(
      [
        .text(sender.container.name), .text(sender.topic), .text(sender.team),
        .text(sender.keyID), .text(sender.privateKey),
      ], in: Self.table)
  }

  func remove(_ topic: String, of container: ContainerID) throws -> Bool {
    let key: [SQLValue] = [.text(container.name), .text(topic)]
    guard try session.exists(Self.find, key) else { return false }
    session.remove(key, from: Self.table)
    return true
  }

  private static let table = Table(
    "apns_senders", key: [("container", .text), ("topic", .text)],
    columns: [("team", .text), ("key_id", .text), ("private_key", .text)])
  private static let ofContainer = SQL(
    """
    SELECT topic, team, key_id, private_key FROM apns_senders WHERE container = $1 ORDER BY serial
    """)
  private static let find = SQL("SELECT 1 FROM apns_senders WHERE container = $1 AND topic = $2")
}
