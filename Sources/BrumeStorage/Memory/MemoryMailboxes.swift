// Mailboxes in memory.

import BrumeModel

final class MemoryMailboxes: MemoryFeature, MailboxWriting {
  func entries(
    of device: DeviceKey, after position: Int64, limit: Int
  ) throws -> [MailboxEntry] {
    let entries = draft.state.mailboxes[device.byteText] ?? []
    return Array(entries.filter { $0.position > position }.prefix(limit))
  }

  func lastPosition(in bucket: Bucket) throws -> Int64 {
    let buckets = draft.state.buckets
    return buckets.indices.contains(bucket.number) ? buckets[bucket.number].lastMailboxPosition : 0
  }

  func count(of device: DeviceKey) throws -> Int {
    draft.state.mailboxes[device.byteText]?.count ?? 0
  }

  func enqueue(_ entry: MailboxEntry, to device: DeviceKey) throws -> Int64 {
    draft.requireScope(device)
    let name = ByteText(parts: entry.notificationID, entry.subscriptionID)
    let waiting = draft.state.mailboxes[device.byteText]?.first {
      ByteText(parts: $0.notificationID, $0.subscriptionID) == name
    }
    if let waiting { return waiting.position }
    let number = draft.bucket(of: device.database).number
    let position = draft.state.buckets[number].lastMailboxPosition + 1
    draft.state.buckets[number].lastMailboxPosition = position
    draft.state.mailboxes[device.byteText, default: []].append(
      MailboxEntry(
        position: position, notificationID: entry.notificationID,
        subscriptionID: entry.subscriptionID, collapseID: entry.collapseID,
        payload: entry.payload, time: entry.time, requestID: entry.requestID))
    return position
  }

  func acknowledge(through position: Int64, by device: DeviceKey) throws {
    draft.requireScope(device)
    draft.state.mailboxes[device.byteText]?.removeAll { $0.position <= position }
  }

  func remove(at position: Int64, of device: DeviceKey) throws {
    draft.requireScope(device)
    draft.state.mailboxes[device.byteText]?.removeAll { $0.position == position }
  }
}
