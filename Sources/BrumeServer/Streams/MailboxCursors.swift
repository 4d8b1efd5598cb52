// The ids of pushes, as streams and polls write and read them: the store's generation and the position
// in the mailbox. A poll may open mailboxes of several buckets, which count each for themselves: its ids name the bucket,
// unless it is the first, which is the only one of a store in one file.

import BrumeDelivery
import BrumeModel
import BrumeStorage

struct MailboxCursors: Sendable {
  let generation: Int64
  let store: any Store

  func text(_ cursor: Courier.Cursor) -> String {
    let bucket = cursor.bucket.number == 0 ? "" : "-\(cursor.bucket.number)"
    return "\(generation)-\(cursor.position)\(bucket)"
  }

  /// What the id of an answer to a poll stands for, as `position` says.
  func cursor(_ text: String) async throws -> Courier.Cursor {
    let id = try ID(text, mayNameBucket: true)
    return Courier.Cursor(try await position(of: id) { _ in id.bucket }, in: id.bucket)
  }

  /// What the text of an event's `id` stands for; 0 if it is of another generation or no event of the
  /// device's bucket had it yet, as that of another user.
  func position(_ text: String?, of device: DeviceKey) async throws -> Int64 {
    guard let text else { return 0 }
    return try await position(of: ID(text, mayNameBucket: false)) {
      $0.log.bucket(of: device.database)
    }
  }

  private func position(
    of id: ID, in bucket: @escaping @Sendable (any ReadTransaction) -> Bucket
  ) async throws -> Int64 {
    guard id.generation == generation, id.position > 0 else { return 0 }
    let last = try await store.read { try $0.mailboxes.lastPosition(in: bucket($0)) }
    return id.position <= last ? id.position : 0
  }

  private struct ID {
    let generation: Int64
    let position: Int64
    let bucket: Bucket

    init(_ text: String, mayNameBucket: Bool) throws(BrumeError) {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
      guard parts.count == 2 || parts.count == 3 && mayNameBucket, let generation = parts[0],
        let position = parts[1], let number = parts.count == 3 ? parts[2] : 0, number >= 0
      else {
        throw BrumeError(
          .badRequest, "the cursor '\(text.prefix(40))' is not one of this stream's ids")
      }
      (self.generation, self.position, bucket) = (generation, position, Bucket(Int(number)))
    }
  }
}
