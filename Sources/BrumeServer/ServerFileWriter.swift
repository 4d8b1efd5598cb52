// `server.json` of a server that has begun: at once, or as soon as the disk takes it. A server on a full disk answers reads
// all the same.

package import Logging

/// Writes the file of one server. For calls from any thread.
package struct ServerFileWriter: Sendable {
  /// Ours: between two tries.
  private static let pause = Duration.seconds(2)
  private let folder: DataFolder
  private let logger: Logger
  private let sleep: @Sendable (Duration) async throws -> Void
  /// What waits for room.
  private let waiting: AsyncStream<ServerFile>
  private let wait: AsyncStream<ServerFile>.Continuation

  /// - Parameters:
  ///   - folder: where the file belongs.
  ///   - logger: for what does not work until there is room.
  ///   - sleep: waits.
  package init(
    _ folder: DataFolder, _ logger: Logger,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.folder = folder
    self.logger = logger
    self.sleep = sleep
    (waiting, wait) = AsyncStream.makeStream()
  }

  /// Writes the file, or leaves it to `run` if the disk has no room.
  ///
  /// - Throws: `DataFolderError` for any other reason.
  package func write(_ file: ServerFile) throws {
    // That of a server that was killed leads nowhere, and takes the room of this one.
    folder.remove(ServerFile.name)
    do { try folder.write(file.bytes, to: ServerFile.name) } catch let error as DataFolderError
      where error.isLackOfRoom
    {
      logger.warning(
        "the disk is full: until there is room commands find this server by --url and --admin-token only",
        metadata: ["error": "\(error)"])
      wait.yield(file)
    }
  }

  /// Tries again what had no room, until it is cancelled.
  ///
  /// - Throws: `CancellationError`.
  package func run() async throws {
    for await file in waiting {
      while (try? folder.write(file.bytes, to: ServerFile.name)) == nil {
        try await sleep(Self.pause)
      }
    }
  }
}
