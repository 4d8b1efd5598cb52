// What works without being asked, while the disk is full or the database server is away.
//
// A request is answered with an error and may come back. Notifier and delivery have no caller: they wait and
// begin anew from what the store says, and reads go on meanwhile.

import BrumeStorage
import Logging

enum StoreRetry {
  /// Ours: between two tries.
  private static let pause = Duration.seconds(2)

  /// Does the work, and again when the store had no room for it or could not be reached. Every other failure of
  /// the store is passed on.
  static func run(_ logger: Logger, _ work: () async throws -> Void) async throws {
    while true {
      do {
        return try await work()
      } catch let error as StoreError where [.noRoom, .unreachable].contains(error.code) {
        logger.error(
          error.code == .noRoom
            ? "pushes wait until there is room in the store"
            : "pushes wait until the database can be reached", metadata: ["error": "\(error)"])
        try await Task.sleep(for: pause)
      }
    }
  }
}
