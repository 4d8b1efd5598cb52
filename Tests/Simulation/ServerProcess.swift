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
  private(set) weak var node: Node?
  private var work: [Int: Task<Void, Never>] = [:]
  private var lastWork = 0
  private(set) var isAlive = true

  init(_ node: Node, _ host: BrumeCore.Host) async throws {
    let world = node.world
    let store = ProcessStore(world.disk, on: node)
    self.store = store
    self.node = node
    var logger = Logger(label: "brume.simulation") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    composition = try await Composition(
      settings: world.settings, folder: nil, users: [], host: host, logger: logger, workers: nil,
      wrapping: { _ in store })
    inProcess = InProcessServer(composition)
    lasting(on: node) { [composition] in try await composition.notifiers.run() }
    guard store.isShared else { return }
    lasting(on: node) { [composition] in try await composition.followMailboxes() }
    begin { await store.keepLeases() }
    begin { await store.follow() }
  }

  /// What the process ends with, if it fails.
  private func lasting(on node: Node, _ body: @escaping @Sendable () async throws -> Void) {
    begin { [weak node, weak self] in
      do { try await body() } catch {
        if self?.isAlive == true, let node { node.world.serverFailed(on: node, error) }
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
  func serverFailed(on node: Node, _ error: any Error) {
    note("server \(node.number) failed: \(error)")
    guard node.process?.isAlive == true else { return }
    Task { await killServerForAWhile(on: node) }
  }
}
