// The ids of pushes, as streams and polls write and read them: the store's generation and the position
// in the mailbox.

import BrumeModel
import BrumeStorage

struct MailboxCursors: Sendable {
  let generation: Int64
  let store: any Store

  func text(_ position: Int64) -> String { "\(generation)-\(position)" }

  /// What the text of an event's `id` stands for; 0 if it is of another generation or no event had it
  /// yet.
  func position(_ text: String?) async throws -> Int64 {
    guard let text else { return 0 }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let generation = parts[0], let position = parts[1] else {
      throw BrumeError(
        .badRequest, "the cursor '\(text.prefix(40))' is not one of this stream's ids")
    }
    guard generation == self.generation, position > 0 else { return 0 }
    let last = try await store.read { try $0.mailboxes.lastPosition() }
    return position <= last ? position : 0
  }
}
