// What servers keep their data on: the memory engine, which outlives processes. Each process has its own
// way to it, on which steps of others get between, writes fail, and the oracle looks on.

import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeTestKit

/// Sendable because a simulation has one thread.
final class Disk: @unchecked Sendable {
  let store = MemoryStore(coders: .wireForm)
  unowned var world: World! = nil
  private(set) var commits = 0

  func committed() { commits += 1 }
}

/// Sendable because a simulation has one thread.
final class ProcessStore: Store, @unchecked Sendable {
  private let disk: Disk
  var isAlive = true

  init(_ disk: Disk) { self.disk = disk }

  private struct Undone: Error {}

  private func check() throws {
    if !isAlive { throw StoreError(.closed, "the process was killed") }
  }

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    try check()
    await Task.yield()
    try check()
    let value = try await disk.store.read(plan) { [disk] transaction in
      let value = try body(transaction)
      disk.world.oracle.read(Exchange.current)
      return value
    }
    await Task.yield()
    return value
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try check()
    await Task.yield()
    try check()
    let world = disk.world!
    if Exchange.current != nil, world.happens(onceIn: 60) {
      world.note("no room for a write")
      throw StoreError(.noRoom, "there is no room")
    }
    let isForgotten =
      world.planted == .forgottenCommit && Exchange.current?.isModify == true
      && world.happens(onceIn: 6)
    let losesEntry =
      world.planted == .lostLogEntry && Exchange.current?.isModify == true
      && world.chance.one(in: 2)
    let box = Box<Value>()
    do {
      // To plant it, the save must be allowed what only notifiers are.
      let scope = losesEntry ? scope.and(.bucket(.only)) : scope
      try await disk.store.write(in: scope, reading: plan) { [disk] transaction in
        let value = try body(transaction)
        try disk.world.oracle.commits(transaction, scope, Exchange.current)
        box.value = value
        if losesEntry {
          try transaction.log.trim(in: .only, through: transaction.log.lastPosition(in: .only))
        }
        if isForgotten { throw Undone() }
      }
    } catch is Undone {}
    disk.committed()
    if Exchange.current?.isModify == true { world.committed() }
    try check()
    await Task.yield()
    // Who was killed meanwhile does not go on.
    try check()
    guard let value = box.value else { throw StoreError(.corrupt, "no value") }
    return value
  }

  func commits() -> CommitHints { disk.store.commits() }
  func close() async throws {}
}

/// Sendable because a simulation has one thread.
final class Box<Value>: @unchecked Sendable {
  var value: Value?
}
