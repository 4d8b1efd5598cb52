// Which indexes queries of apps use, and which they lack: what an operator wants to know before removing one or
// adding one. Counted in memory, of this process, since it began; a query must not become a write.

package import BrumeModel
import Synchronization

/// The counts of one server.
package final class IndexUses: Sendable {
  private struct Key: Hashable {
    let containerEnvironment: ContainerEnvironment
    let type: String
    let field: String
    let index: String
  }
  private struct Counts {
    var used: Int64 = 0
    var lacked: Int64 = 0
  }
  /// Nothing before is known.
  package let since: Milliseconds
  private let capacity: Int
  private let counts = Mutex<[Key: Counts]>([:])

  /// - Parameter capacity: indexes that are counted; others are not.
  init(since: Milliseconds, capacity: Int) {
    self.since = since
    self.capacity = capacity
  }

  /// A query was answered by them.
  func noteUsed(_ indexes: [IndexName], in containerEnvironment: ContainerEnvironment) {
    count(indexes, in: containerEnvironment) { $0.used += 1 }
  }

  /// A query was refused because they are not there.
  func noteMissing(_ indexes: [IndexName], in containerEnvironment: ContainerEnvironment) {
    count(indexes, in: containerEnvironment) { $0.lacked += 1 }
  }

  /// All that were used or lacked, in the order of names.
  package func all(in containerEnvironment: ContainerEnvironment) -> [IndexUse] {
    let counts = counts.withLock { $0 }
    return counts.filter { $0.key.containerEnvironment == containerEnvironment }
      .sorted {
        ($0.key.type, $0.key.field, $0.key.index) < ($1.key.type, $1.key.field, $1.key.index)
      }
      .map { key, counts in
        IndexUse(
          IndexName(type: key.type, field: key.field, index: key.index), used: counts.used,
          lacked: counts.lacked)
      }
  }

  private func count(
    _ indexes: [IndexName], in containerEnvironment: ContainerEnvironment,
    _ change: (inout Counts) -> Void
  ) {
    guard !indexes.isEmpty else { return }
    counts.withLock { counts in
      for index in indexes {
        let key = Key(
          containerEnvironment: containerEnvironment, type: index.type, field: index.field,
          index: index.index)
        guard counts[key] != nil || counts.count < capacity else { continue }
        change(&counts[key, default: Counts()])
      }
    }
  }
}
