// One of the machines that servers run on. With several, they share the disk: who notifies for a bucket is leased
// (LeaseTable.swift), what one commits the others hear of by word, which may get lost, or by looking; a machine may
// stand still for longer than a lease; and the machines' clocks are hours apart, so that all go by the disk's.

import BrumeModel
import BrumeStorage
import BrumeTestKit

/// Sendable because a simulation has one thread.
final class Node: @unchecked Sendable {
  unowned let world: World
  let number: Int
  var process: ServerProcess?
  var isStarting = false
  /// How far its wall clock is off, in milliseconds.
  var skew: Milliseconds = 0
  /// The disk's time, as the process knows it; nil: it goes by the machine's.
  private var time: SharedTime?
  /// It stands still until then.
  var pausedUntil: Milliseconds = 0
  private var starts = 0

  init(_ world: World, _ number: Int) {
    self.world = world
    self.number = number
  }

  /// Waits until it goes on. Everything that a process does passes here, before and after each step that others see.
  func pass() async {
    while world.now < pausedUntil {
      let time = pausedUntil - world.now
      // In a task of its own: to sleep in one that was cancelled takes no time, so this would never end, within one step.
      await Task { [world] in await world.sleep(time) }.value
    }
  }

  /// What a process goes by that starts now.
  func startClock() -> @Sendable () -> Milliseconds {
    let machine: @Sendable () -> Milliseconds = { [unowned self] in world.clock + skew }
    time = nil
    if world.nodes.count == 1 || world.planted == .ownClock { return machine }
    let shared = SharedTime(machine: machine, steady: { [unowned self] in world.now })
    time = shared
    lookAtClock()
    return { shared.now }
  }

  /// Learns the disk's time.
  func lookAtClock() {
    time?.learn { () throws(Never) in world.clock + world.disk.skew }
  }

  /// Another name for each process.
  func nextName() -> String {
    starts += 1
    return "\(number).\(starts)"
  }
}

// MARK: Beside other processes

extension ProcessStore {
  /// Renews, takes and gives away leases, until the process ends.
  func keepLeases() async {
    while isAlive, !Task.isCancelled {
      await node.pass()
      guard isAlive else { return }
      node.lookAtClock()
      let epochs = disk.leases.round(of: name, now: node.world.now)
      if epochs != known.epochs {
        let texts = epochs.sorted { $0.key < $1.key }.map { "\($0.key) under \($0.value)" }
        node.world.note("\(name) has leases \(texts)")
        let came = Set(epochs.filter { known.epochs[$0.key] != $0.value }.keys)
        known.epochs = epochs
        // Whoever had them before may have left work.
        signal(logs: came, mailboxes: came)
      }
      await node.world.sleep(disk.leases.pause(of: name, now: node.world.now))
    }
  }

  /// Looks for what others have done, now and then, until the process ends.
  func follow() async {
    // Only word counts then.
    if node.world.planted == .unpolledWord { return }
    while isAlive, !Task.isCancelled {
      await look()
      await node.world.sleep(LeaseTable.interval)
    }
  }

  /// Signals what grew since the last look.
  func look() async {
    guard let logs = try? await read({ try $0.log.lastPositions() }),
      let mail = try? disk.store.lastMailboxPositions()
    else { return }
    let buckets = (0..<bucketCount).map { Bucket($0) }
    let grown = buckets.filter { logs[$0] > last($0, of: seen.logs) }
    let filled = buckets.filter { mail[$0] ?? 0 > last($0, of: seen.mail) }
    for bucket in grown { seen.logs[bucket] = logs[bucket] }
    for bucket in filled { seen.mail[bucket] = mail[bucket] ?? 0 }
    signal(logs: Set(grown), mailboxes: Set(filled))
  }

  /// How far this process has seen a bucket.
  private func last(_ bucket: Bucket, of seen: LogPositions) -> Int64 {
    guard disk.world.planted == .mixedPositions else { return seen[bucket] }
    return seen.buckets.map { seen[$0] }.max() ?? 0
  }

  /// Word to the other processes of a commit, late or not at all.
  func sendWord() {
    let world = node.world
    for other in world.nodes where other !== node {
      let isLost =
        world.planted == .unpolledWord ? world.chance.one(in: 2) : world.happens(onceIn: 3)
      if isLost { continue }
      let time = Milliseconds(1 + world.chance.next(below: 30))
      Task {
        await world.sleep(time)
        await other.process?.store.look()
      }
    }
  }
}

extension ProcessStore: SharedMailboxes {
  func lastMailboxPositions() async throws -> [Bucket: Int64] {
    try await read { [store = disk.store] _ in try store.lastMailboxPositions() }
  }

  func newEntries(
    in bucket: Bucket, after position: Int64, limit: Int
  ) async throws -> [NewMailboxEntry] {
    let world = node.world
    let devices = world.devices.filter {
      let account = DatabaseKey(in: world.containerEnvironment, owner: $0.userID)
      return Bucket(of: account, among: bucketCount) == bucket
    }.map {
      DeviceKey(in: world.containerEnvironment, user: $0.userID, device: DeviceID($0.name))
    }
    return try await read { transaction in
      var found: [NewMailboxEntry] = []
      for device in devices {
        let channel = try transaction.devices.find(device)?.channel.kind
        for entry in try transaction.mailboxes.entries(of: device, after: position, limit: limit) {
          found.append(NewMailboxEntry(device: device, channel: channel, entry: entry))
        }
      }
      return Array(found.sorted { $0.entry.position < $1.entry.position }.prefix(limit))
    }
  }
}
