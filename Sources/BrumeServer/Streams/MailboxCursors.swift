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
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let bucket = parts.count == 3 ? Int(parts[2]) : 0
    guard let bucket, bucket >= 0, parts.count != 3 || !parts[1].isEmpty else {
      throw Self.malformed(text)
    }
    return Courier.Cursor(
      try await position(parts.prefix(2).joined(separator: "-")), in: Bucket(bucket))
  }

  /// What the text of an event's `id` stands for; 0 if it is of another generation or no event had it
  /// yet.
  func position(_ text: String?) async throws -> Int64 {
    guard let text else { return 0 }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let generation = parts[0], let position = parts[1] else {
      throw Self.malformed(text)
    }
    guard generation == self.generation, position > 0 else { return 0 }
    let last = try await store.read { try $0.mailboxes.lastPosition() }
    return position <= last ? position : 0
  }

  private static func malformed(_ text: String) -> BrumeError {
    BrumeError(.badRequest, "the cursor '\(text.prefix(40))' is not one of this stream's ids")
  }
}
