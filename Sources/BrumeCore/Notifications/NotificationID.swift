// The identity of a notification: one per change, the same for every device and subscription.
//
// It is computed from where the change is in the log, so that a fan-out repeated after a crash
// repeats it, and a restored store (a new generation) never uses one again.

package import BrumeModel
import Crypto

/// Makes the IDs of notifications and pushes.
package enum NotificationID {
  /// An upper-case UUID text of version 8 (a digest of our own).
  package static func text(generation: Int64, entry: LogEntry) -> String {
    let database = entry.database
    var hash = SHA256()
    let parts = [
      "brume-notification", String(generation), database.container.name,
      database.environment.rawValue, database.owner?.name ?? "", String(entry.position),
    ]
    for part in parts {
      // Each part carries its length: no two lists of parts give the same bytes.
      hash.update(data: Array("\(part.utf8.count):\(part)".utf8))
    }
    return text(Array(hash.finalize().prefix(16)))
  }

  /// The identity of one push: a notification for one subscription on its way to one device. Every
  /// attempt carries the same.
  package static func push(
    _ id: String, subscription: String, to device: DeviceKey
  ) -> String {
    var hash = SHA256()
    let parts = [
      "brume-push", id, subscription, device.container.name, device.environment.rawValue,
      device.user.name, device.device.name,
    ]
    for part in parts { hash.update(data: Array("\(part.utf8.count):\(part)".utf8)) }
    return text(Array(hash.finalize().prefix(16)))
  }

  private static func text(_ digest: [UInt8]) -> String {
    var bytes = digest
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
      .map { Hex.text(bytes[$0]).uppercased() }.joined(separator: "-")
  }
}
