// What a notifier reads before its first transaction: where it is, and all subscriptions. Those on a damaged page are left
// out, as damaged ones are, and fire no more until it is mended.

import BrumeModel
import BrumeStorage

struct NotifierStart: Sendable {
  typealias Read = (cursor: NotifierCursor, index: SubscriptionIndex, lastDelivery: Int64)

  private let bucket: Bucket
  private let store: any Store

  init(of bucket: Bucket, in store: any Store) { (self.bucket, self.store) = (bucket, store) }

  func read() async throws -> Read {
    do {
      return try await store.read { [bucket] transaction in
        (
          try NotifierCursor(of: bucket, from: transaction),
          try SubscriptionIndex(of: bucket, from: transaction),
          try transaction.history.lastDelivery(in: bucket)
        )
      }
    } catch let error as StoreError where error.code == .corrupt {
      // The index may be ahead of the cursor: what happened in between is read again.
      let cursor = try await store.read { [bucket] in try NotifierCursor(of: bucket, from: $0) }
      return (cursor, try await indexAroundDamage(), try await lastDelivery())
    }
  }

  /// It throws if nothing can be read at all.
  private func indexAroundDamage() async throws -> SubscriptionIndex {
    var index = SubscriptionIndex(of: bucket)
    var look = LookThrough(pagesOf: SubscriptionIndex.page)
    while !look.hasEnded {
      try Task.checkCancellation()
      let (after, limit) = (look.after, look.limit)
      do {
        let page = try await store.read { [bucket] in
          try $0.subscriptions.page(watching: bucket, withShared: false, after: after, limit: limit)
        }
        if look.read(next: page.next) { for found in page.subscriptions { index.put(found) } }
      } catch let error as StoreError where error.code == .corrupt {
        if look.failed() {
          store.damagedRows?.note("subscriptions", "after number \(after): \(error)")
        }
        if look.hasEnded, !look.hasRead { throw error }
      }
    }
    return index
  }

  /// As if nobody had kept a history, if its end cannot be read.
  private func lastDelivery() async throws -> Int64 {
    do {
      return try await store.read { [bucket] in try $0.history.lastDelivery(in: bucket) }
    } catch let error as StoreError where error.code == .corrupt {
      return 0
    }
  }
}
