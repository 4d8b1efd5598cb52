// One process of the real server: the composition that `brume serve` runs, with its notifier, on the
// simulation's disk.

import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumeServer
import BrumeStorage
import Logging

/// Sendable because a simulation has one thread.
final class ServerProcess: @unchecked Sendable {
  let composition: Composition
  let inProcess: InProcessServer
  let store: ProcessStore
  private var work: [Int: Task<Void, Never>] = [:]
  private var lastWork = 0
  private(set) var isAlive = true

  init(_ world: World, _ host: BrumeCore.Host) async throws {
    let store = ProcessStore(world.disk)
    self.store = store
    var logger = Logger(label: "brume.simulation") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    composition = try await Composition(
      settings: world.settings, folder: nil, users: [], host: host, logger: logger, workers: nil
    ) { _ in store }
    inProcess = InProcessServer(composition)
    begin { [composition, weak world, weak self] in
      do { try await composition.notifiers.run() } catch {
        if self?.isAlive == true { world?.serverFailed(error) }
      }
    }
  }

  /// Something that ends with the process.
  func begin(_ body: @escaping @Sendable () async -> Void) {
    lastWork += 1
    let number = lastWork
    work[number] = Task { [weak self] in
      await body()
      self?.work[number] = nil
    }
  }

  /// Something that ends with the process, or with whoever waits for it.
  func answer<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    lastWork += 1
    let number = lastWork
    let task = Task { try await body() }
    work[number] = Task { _ = await task.result }
    ends[number] = { task.cancel() }
    defer {
      work[number] = nil
      ends[number] = nil
    }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private var ends: [Int: () -> Void] = [:]

  func kill() {
    isAlive = false
    store.isAlive = false
    for end in ends.sorted(by: { $0.key < $1.key }) { end.value() }
    for task in work.sorted(by: { $0.key < $1.key }) { task.value.cancel() }
  }
}

extension World {
  /// What a supervisor does: starts another one.
  func serverFailed(_ error: any Error) {
    note("server failed: \(error)")
    guard server?.isAlive == true else { return }
    Task { await killServerForAWhile() }
  }
}
