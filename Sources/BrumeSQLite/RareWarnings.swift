// Warnings about what lasts and is met by every save or query, such as a damaged page of an index: the first, then ever
// fewer.

import BrumeStorage
import Logging
import Synchronization

final class RareWarnings: Sendable {
  /// Ours: different warnings that are remembered. With more all are news again.
  private static let most = 1000

  private let lines = Mutex<[String: RareLine]>([:])
  private let logger: Logger
  private let milliseconds: @Sendable () -> Int64

  /// - Parameter milliseconds: a clock that never goes back.
  init(_ logger: Logger, milliseconds: @escaping @Sendable () -> Int64) {
    self.logger = logger
    self.milliseconds = milliseconds
  }

  /// - Parameter what: of which there are few, such as an index.
  func warn(_ message: String, of what: String, _ error: any Error) {
    let now = milliseconds()
    let isDue = lines.withLock { lines in
      if lines.count >= Self.most { lines = [:] }
      return lines["\(message) \(what) \(error)", default: RareLine()].isDue(at: now)
    }
    guard isDue else { return }
    logger.warning(
      "\(message)", metadata: ["store.index": "\(what)", "store.error": "\(error)"])
  }
}
