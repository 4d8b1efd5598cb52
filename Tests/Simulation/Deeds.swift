// What happens in a run: drawn from the seed before it begins, so that a part of it can be left out.

import BrumeKit
import BrumeModel
import BrumeTestKit
import Foundation

/// One thing that somebody does, or that befalls somebody.
struct Deed: Sendable {
  enum Kind: Sendable {
    case edit(String), delete(String)
    /// In the zone that alice shares.
    case editShared(String)
    /// By hand, in the default zone.
    case set
    /// Several records by hand, all or nothing.
    case batch([String], deleting: [String], isAtomic: Bool)
    case fetchByHand
    case temporaryZone(isDeleted: Bool)
    /// What alice lets a participant do; nil: nothing.
    case permit(CKShare.ParticipantPermission?)
    case stopSharing, accept, leave
    /// A user removes what an app has in a zone, or resets encrypted data, with which all zones of the user go but the
    /// default one.
    case purge(String), reset
    /// Alice subscribes to notes, or ends that.
    case watch(Wish), stopWatching(String)
    case restartApp, signOut, cut(Int64), jump(Milliseconds)
    /// Now, or when somebody's save is committed next, and before anything comes of it.
    case killServer(atCommit: Bool)
    /// A server's machine stands still, for less or more than a lease: now, or when a notifier is about to write.
    case pauseServer(Milliseconds, atNotifierWrite: Bool)
  }
  let time: Int64
  let device: Int
  let kind: Kind
}

struct Deeds {
  /// Ours: how long there are faults, in milliseconds.
  static let stormy: Int64 = 4000
  /// How long convergence may take after that.
  static let timeout: Int64 = 10_000
  private let world: World
  private let all: [Deed]

  init(_ world: World) {
    self.world = world
    all = Self.drawn(world.order.seed, devices: world.devices.count)
  }

  /// All of a seed's, of which a run may leave some out.
  static func drawn(_ seed: UInt64, devices: Int) -> [Deed] {
    var random = SeededRandom(seed: seed ^ 0x9e6c_63d0_876a_68de)
    let count = 8 + random.next(below: 32)
    var deeds: [Deed] = []
    for _ in 0..<count {
      deeds.append(
        Deed(
          time: Int64(random.next(below: Int(stormy))),
          device: random.next(below: devices), kind: Deed.Kind(&random)))
    }
    // A crash after which nothing else happens that could make up for it.
    if random.one(in: 4) {
      deeds.append(
        Deed(time: stormy - 1, device: 0, kind: .killServer(atCommit: true)))
      deeds.append(Deed(time: stormy, device: 0, kind: .edit("k0")))
    }
    return deeds.sorted { $0.time < $1.time }
  }

  func carryOut() async throws {
    let begin = world.now
    world.isCalm = false
    for (index, deed) in all.enumerated() {
      if let keep = world.order.keep, !keep.contains(index) { continue }
      await world.sleep(begin + deed.time - world.now)
      // Nobody waits for what another one has begun.
      Task { await deed.carryOut(in: world, "w\(index)") }
    }
    await world.sleep(begin + Self.stormy - world.now)
    world.isCalm = true
    world.note("calm")
    world.pausesNotifier = nil
    world.killsAtCommit = false
    for node in world.nodes {
      node.pausedUntil = world.now
      try await world.startServerIfNone(on: node)
    }
    for device in world.devices where !device.transport.isSignedIn { device.signIn() }
    try await settle()
  }

  private func settle() async throws {
    let end = world.now + Self.timeout
    var comparison = Comparison(world)
    while true {
      let differences = try await comparison.differences()
      if differences.isEmpty { return try await rest(&comparison) }
      if world.now >= end {
        for difference in differences { world.fail("still after ten seconds: \(difference)") }
        return
      }
      await world.sleep(200)
    }
  }
}

extension Deeds {
  /// Ours: how long nothing happens where all is at rest, and until when it has to come to that, in milliseconds.
  private static let quiet: Int64 = 2000
  private static let restless: Int64 = 10_000

  /// Who has everything asks for nothing, and stays as he is. Streams that broke before may come back meanwhile, and what
  /// was asked of a server that stood still may happen only now: whoever has no stream then learns of it when it is back.
  private func rest(_ comparison: inout Comparison) async throws {
    world.note("agreed")
    let end = world.now + Self.restless
    while true {
      await waitForQuiet(until: end)
      let differences = try await comparison.differences()
      if differences.isEmpty { return }
      if world.now >= end {
        for difference in differences { world.fail("agreed before, and then: \(difference)") }
        return
      }
      await world.sleep(200)
    }
  }

  /// Waits until nothing has happened for a while.
  private func waitForQuiet(until end: Int64) async {
    while world.now - max(world.lastHappening.time, end - Self.restless) < Self.quiet {
      if world.now >= end {
        return world.fail("all agree, and yet \(world.lastHappening.text)")
      }
      await world.sleep(200)
    }
  }
}

extension Deed.Kind {
  fileprivate init(_ random: inout SeededRandom) {
    switch random.next(below: 49) {
    case 0...11: self = .edit("k\(random.next(below: 3))")
    case 12...13: self = .edit("d\(random.next(below: 3))")
    case 14...15: self = .delete("d\(random.next(below: 3))")
    case 16...20: self = .editShared("k\(random.next(below: 3))")
    case 21...23:
      let names = (0..<4).filter { _ in random.one(in: 2) }.map { "r\($0)" }
      let deleting = names.filter { _ in random.one(in: 4) }
      self = .batch(
        names.filter { !deleting.contains($0) }, deleting: deleting, isAtomic: random.one(in: 2))
    case 24...26: self = .fetchByHand
    case 27...28: self = .temporaryZone(isDeleted: random.one(in: 2))
    case 29 where random.one(in: 3): self = .stopSharing
    case 29: self = .permit(random.pick([nil, nil, .readOnly, .readWrite]))
    case 30: self = .accept
    case 31 where random.one(in: 2): self = .leave
    case 31...33: self = .restartApp
    case 34: self = .signOut
    case 35...36: self = .cut(Int64(100 + random.next(below: 1500)))
    case 37...38: self = .killServer(atCommit: random.one(in: 2))
    case 39...41:
      self = .pauseServer(
        Milliseconds(300 + random.next(below: 2500)), atNotifierWrite: random.one(in: 2))
    case 46 where random.one(in: 2):
      self = .purge(random.pick(["Notes", "Notes", "Temporary", "Shared"]))
    case 47 where random.one(in: 3): self = .reset
    case 47 where random.one(in: 2): self = .purge(BrumeModel.ZoneID.defaultName)
    case 47: self = .set
    case 42 where random.one(in: 3): self = .stopWatching(random.pick(Watches.ids))
    case 42...45: self = .watch(Wish(&random))
    default: self = .jump(Milliseconds(random.next(below: 120_000)) - 60_000)
    }
  }
}

extension Wish {
  fileprivate init(_ random: inout SeededRandom) {
    let all: [CKQuerySubscription.Options] = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
    var options: CKQuerySubscription.Options = random.one(in: 2) ? .firesOnce : []
    for option in all where random.one(in: 2) { options.insert(option) }
    if options.isDisjoint(with: .init(all)) { options.insert(.firesOnRecordUpdate) }
    self.init(
      id: random.pick(Watches.ids), options: options, isEven: random.one(in: 4),
      isOfNotes: random.one(in: 3))
  }
}
