// One of the machines that servers run on. With several, they share the disk: who notifies is leased, what one commits
// the others hear of by word, which may get lost, or by looking; and a machine may stand still for longer than a lease.

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

  /// Another name for each process.
  func nextName() -> String {
    starts += 1
    return "\(number).\(starts)"
  }
}

/// Who notifies, as the disk has it. There is one bucket, so there is one lease.
struct Lease {
  /// Ours: a tenth of the real times, so that several leases fit into a run.
  static let length: Milliseconds = 1000
  static let interval: Milliseconds = 250
  static let shortestPause: Milliseconds = 20

  private(set) var owner = ""
  private(set) var epoch: Int64 = 0
  private(set) var until: Milliseconds = -1

  /// One round of a process: it renews the lease, or takes one that nobody has renewed. Answers the epoch, if the lease
  /// is its own now.
  mutating func round(of process: String, now: Milliseconds) -> Int64? {
    if owner != process {
      guard until < now else { return nil }
      (owner, epoch) = (process, epoch + 1)
    }
    until = now + Self.length
    return epoch
  }

  /// Milliseconds until the next round of a process.
  func pause(of process: String, now: Milliseconds) -> Milliseconds {
    owner == process ? Self.interval : min(Self.interval, max(Self.shortestPause, until - now + 1))
  }
}

/// What a process knows of the lease: what the disk said last.
/// Sendable because a simulation has one thread.
final class KnownLease: Leases, @unchecked Sendable {
  var epoch: Int64?
  let processes: Int

  init(processes: Int) { self.processes = processes }

  func epoch(of bucket: Bucket) -> Int64? { epoch }
}

// MARK: Beside other processes

extension ProcessStore {
  /// Renews or takes the lease, until the process ends.
  func keepLease() async {
    while isAlive, !Task.isCancelled {
      await node.pass()
      guard isAlive else { return }
      let epoch = disk.lease.round(of: name, now: node.world.now)
      if epoch != known.epoch {
        node.world.note("\(name) has lease \(epoch.map { "\($0)" } ?? "none")")
        known.epoch = epoch
        // Whoever had it before may have left work.
        if epoch != nil { signal(logs: true, mailboxes: true) }
      }
      await node.world.sleep(disk.lease.pause(of: name, now: node.world.now))
    }
  }

  /// Looks for what others have done, now and then, until the process ends.
  func follow() async {
    // Only word counts then.
    if node.world.planted == .unpolledWord { return }
    while isAlive, !Task.isCancelled {
      await look()
      await node.world.sleep(Lease.interval)
    }
  }

  /// Signals what grew since the last look.
  func look() async {
    guard
      let found = try? await read({ transaction in
        (
          log: try transaction.log.lastPosition(in: .only),
          mail: try transaction.mailboxes.lastPosition()
        )
      })
    else { return }
    let grown = (log: found.log > seen.log, mail: found.mail > seen.mail)
    seen = (max(seen.log, found.log), max(seen.mail, found.mail))
    signal(logs: grown.log, mailboxes: grown.mail)
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
    let last = try await read { try $0.mailboxes.lastPosition() }
    return last > 0 ? [.only: last] : [:]
  }

  func newEntries(
    in bucket: Bucket, after position: Int64, limit: Int
  ) async throws -> [NewMailboxEntry] {
    let world = node.world
    let devices = world.devices.map {
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
