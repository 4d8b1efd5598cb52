// What servers keep their data on: the memory engine, which outlives processes. Each process has its own
// way to it, on which steps of others get between, writes fail, and the oracle looks on.

import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeTestKit

/// Sendable because a simulation has one thread.
final class Disk: @unchecked Sendable {
  let store: MemoryStore
  unowned var world: World! = nil
  private(set) var commits = 0
  var leases: LeaseTable
  /// How far its clock is off, by which several servers go, in milliseconds.
  var skew: Milliseconds = 0
  var wasSetBack = false

  init(buckets: Int) {
    store = MemoryStore(coders: .wireForm, buckets: buckets)
    leases = LeaseTable(buckets: buckets)
  }

  func committed() { commits += 1 }
}

/// Sendable because a simulation has one thread.
final class ProcessStore: Store, @unchecked Sendable {
  let disk: Disk
  let node: Node
  let name: String
  let known: KnownLease
  var isAlive = true
  /// It does not know whether its last write happened (Doubt.swift).
  var isBroken = false
  /// Until then it asks.
  var isAskingUntil: Milliseconds = 0
  /// How far this process has seen the log and the mailboxes.
  var seen: (logs: LogPositions, mail: LogPositions) = (.init(), .init())
  private let logs = CommitSignals()
  private let mailboxes = CommitSignals()

  init(_ disk: Disk, on node: Node) {
    self.disk = disk
    self.node = node
    name = node.nextName()
    known = KnownLease(processes: node.world.nodes.count)
    if isShared { known.epochs = disk.leases.round(of: name, now: node.world.now) }
  }

  /// Whether there are other processes.
  var isShared: Bool { node.world.nodes.count > 1 }

  var bucketCount: Int { disk.store.bucketCount }
  var leases: any Leases { isShared ? known : AlwaysOwned() }
  var sharedMailboxes: (any SharedMailboxes)? { isShared ? self : nil }
  func commits() -> CommitHints { isShared ? logs.hints() : disk.store.commits() }
  func mailboxHints() -> CommitHints { mailboxes.hints() }

  func signal(logs grown: Set<Bucket>, mailboxes filled: Set<Bucket>) {
    if !grown.isEmpty { logs.signal(grown) }
    if !filled.isEmpty { mailboxes.signal(filled) }
  }

  private struct Undone: Error {}

  /// Nothing of it happens, for requests as for the server's own work. A server that starts finds its disk.
  private func failNow(onceIn count: Int, _ codes: [StoreError.Code]) throws {
    let world = node.world
    guard node.process?.store === self, world.happens(onceIn: count) else { return }
    let code = world.chance.pick(codes)
    world.note("the disk fails: \(code)")
    Exchange.current?.seen.diskFailed = true
    throw StoreError(code, "the disk fails")
  }

  private func failWhileAsking() throws {
    guard node.world.now < isAskingUntil else { return }
    Exchange.current?.seen.diskFailed = true
    throw StoreError(.unreachable, "the database does not answer")
  }

  func check() throws {
    if !isAlive { throw StoreError(.closed, "the process was killed") }
    guard isBroken else { return }
    Exchange.current?.seen.diskFailed = true
    throw Doubt.error
  }

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    try check()
    await Task.yield()
    await node.pass()
    try check()
    try failNow(onceIn: 300, [.unreachable])
    let value = try await disk.store.read(plan) { [disk] transaction in
      let value = try body(transaction)
      disk.world.oracle.read(Exchange.current)
      return value
    }
    await Task.yield()
    await node.pass()
    return value
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try check()
    await Task.yield()
    let world = disk.world!
    if scope.notified != nil { world.notifierWrites(on: node) }
    await node.pass()
    try check()
    try failNow(onceIn: 60, [.noRoom, .unreachable])
    try failWhileAsking()
    let doubt = nextDoubt()
    if case .lost = doubt { try end(in: .lost) }
    let isForgotten =
      world.planted == .forgottenCommit && Exchange.current?.isModify == true
      && world.happens(onceIn: 6)
    let losesEntry =
      world.planted == .lostLogEntry && Exchange.current?.isModify == true
      && world.chance.one(in: 2)
    let box = Box<Value>()
    do {
      // To plant it, the save must be allowed what only notifiers are.
      let bucket = scope.parts.compactMap { $0.bucket(among: bucketCount) }.min() ?? .only
      let scope = losesEntry ? scope.and(.bucket(bucket)) : scope
      try await disk.store.write(in: scope, reading: plan) { [disk] transaction in
        try self.fence(scope)
        disk.world.oracle.read(Exchange.current)
        let setting =
          disk.world.planted == .returnedRecord
          ? try disk.setting(transaction, Exchange.current) : nil
        let value = try body(transaction)
        try disk.put(back: setting, transaction)
        if disk.world.planted == .reusedTag { try disk.reuseTag(transaction, Exchange.current) }
        try disk.world.oracle.commits(transaction, scope, Exchange.current)
        box.value = value
        if losesEntry {
          try transaction.log.trim(in: bucket, through: transaction.log.lastPosition(in: bucket))
        }
        if isForgotten { throw Undone() }
      }
    } catch is Undone {}
    disk.committed()
    if isShared {
      sendWord()
      await Exchange.$current.withValue(nil) { await look() }
    }
    if Exchange.current?.isModify == true { world.committed(on: node) }
    if case .kept = doubt { try end(in: .kept) }
    if case .found(let time) = doubt { await wait(for: time) }
    try check()
    await Task.yield()
    await node.pass()
    // Who was killed meanwhile does not go on.
    try check()
    guard let value = box.value else { throw StoreError(.corrupt, "no value") }
    return value
  }

  /// Who writes under a lease that has passed on is refused.
  private func fence(_ scope: WriteScope) throws {
    guard isShared, let (bucket, epoch) = scope.notified,
      disk.world.planted != .unfencedNotifier
    else { return }
    if !disk.leases.isOwned(bucket, by: name, under: epoch) {
      throw StoreError(.notOwned, "another process notifies now")
    }
  }

  func close() async throws {}
}

extension WriteScope {
  /// The bucket whose notifier writes, and under which lease; nil if it is none.
  var notified: (bucket: Bucket, epoch: Int64)? {
    for case .notifier(let bucket, let epoch) in parts { return (bucket, epoch) }
    return nil
  }
}

/// Sendable because a simulation has one thread.
final class Box<Value>: @unchecked Sendable {
  var value: Value?
}
