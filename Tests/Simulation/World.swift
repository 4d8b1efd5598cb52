// Everything that a run has: the disk, the servers, the network, the devices. What a run does is in
// Deeds.swift; what must be true of it in the oracle's files.

import BrumeClient
import BrumeCore
import BrumeKit
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeTestKit
import CSimulation
import Foundation
import Logging

/// Sendable because a simulation has one thread.
final class World: @unchecked Sendable {
  static let container = "iCloud.org.example.sim"
  let containerEnvironment = ContainerEnvironment(ContainerID(World.container), .development)
  private(set) var order: Life.Order
  let planted: Planted?
  /// What happens to messages. Deeds have their own, so that fewer deeds change nothing else of them.
  var chance: SeededRandom
  /// Faults have ended.
  var isCalm = true
  /// What somebody did last who does nothing for nothing.
  private(set) var lastHappening: (time: Milliseconds, text: String) = (0, "")
  /// Everybody has begun.
  private(set) var hasBegun = false
  private(set) var hasEnded = false
  var killsAtCommit = false
  /// How long the next notifier stands still that is about to write.
  var pausesNotifier: Milliseconds?
  private(set) var failures: [String] = []
  /// For a planted fault: requests that took effect, of which nobody knew it.
  var unknownOperations: Set<String> = []
  /// For a planted fault: the fields with which records were answered first.
  var firstFields: [String: Any] = [:]
  let disk: Disk
  let oracle = Oracle()
  /// The machines that servers run on.
  private(set) var nodes: [Node] = []
  var devices: [Device] = []
  var users: [String: UserID] = [:]
  var apiToken = ""
  let settings: Settings

  init(_ order: Life.Order) {
    self.order = order
    planted = order.planted
    chance = Self.chance(Beginning.number(of: order.seed))
    var settings = Settings()
    settings.engine = .memory
    settings.isDevelopment = true
    settings.container = containerEnvironment.container
    settings.limits = .tiny
    settings.limits.recordsPerResponse = 3
    settings.limits.notifierEntries = 4
    settings.limits.mailboxRows = 20
    settings.limits.coalescingWindow = 300
    // Two operations in one place are rare, and documented: whoever's outcome lost its place meets the tags.
    settings.limits.rememberedOperations = 1 << 40
    self.settings = settings
    let nodeCount = Self.nodeCount(order)
    // A single server has SQLite, which has one.
    disk = Disk(buckets: nodeCount > 1 ? 4 : 1)
    oracle.world = self
    disk.world = self
    nodes = (0..<nodeCount).map { Node(self, $0) }
    for node in nodes where nodeCount > 1 { node.skew = [1, -1, 2][node.number] * 2 * 3_600_000 }
  }

  private static func chance(_ seed: UInt64) -> SeededRandom {
    SeededRandom(seed: seed ^ 0x2545_f491_4f6c_dd1d)
  }

  /// Half of all beginnings have one server, as most installations do.
  private static func nodeCount(_ order: Life.Order) -> Int {
    if order.planted?.needsNodes == true { return 2 }
    return [2, 1, 3, 1][Int(Beginning.number(of: order.seed) % 4)]
  }

  /// Carol takes part in half of all beginnings.
  private var hasGuest: Bool {
    planted?.needsGuest == true
      || [false, true, true, false][Int(Beginning.number(of: order.seed) % 4)]
  }

  var now: Milliseconds { simulation_now() / 1_000_000 }

  func sleep(_ milliseconds: Milliseconds) async {
    try? await Task.sleep(nanoseconds: UInt64(max(0, milliseconds)) * 1_000_000)
  }

  func fail(_ text: String) {
    let line = "at \(now) ms: \(text)"
    note("WRONG \(line)")
    if failures.count < 50, !failures.contains(line) { failures.append(line) }
  }

  /// A request, or a push that came.
  func happened(_ text: String) { lastHappening = (now, text) }

  /// A line of the run's trace.
  func note(_ text: @autoclosure () -> String) {
    let line = text()
    line.utf8.withContiguousStorageIfAvailable { simulation_note($0.baseAddress, $0.count) }
    if order.isVerbose { print("\(now) \(line)") }
  }

  /// A fault happens once in `count` times, while there are faults.
  func happens(onceIn count: Int) -> Bool { !isCalm && chance.one(in: count) }

  /// From here on a seed's own chance.
  func goOn(with order: Life.Order) {
    self.order = order
    chance = Self.chance(order.seed)
  }

  func live() async {
    do { try await Deeds(self).carryOut() } catch { fail("the run itself failed: \(error)") }
    hasEnded = true
  }

  /// How many deeds a seed has, whether or not a run leaves some out.
  func deedCount(of seed: UInt64) -> Int { Deeds.drawn(seed, devices: devices.count).count }

  // MARK: The beginning

  /// Servers and devices start, and share what they share, as in a calm hour.
  func begin() async {
    do {
      try await prepare()
      try await Sharing(self).begin()
    } catch {
      fail("the beginning itself failed: \(error)")
      hasEnded = true
    }
    await sleep(1000)
    hasBegun = true
  }

  private func prepare() async throws {
    for node in nodes { try await startServer(on: node) }
    guard let engine = nodes.first?.process?.composition.engine else { return }
    apiToken = try await engine.apiTokens.create(
      name: "sim", in: containerEnvironment, allowedOrigins: nil
    ).token
    var people = [("alice", ["phone", "laptop"]), ("bob", ["tablet"])]
    if hasGuest { people.append(("carol", ["watch"])) }
    for (user, names) in people {
      let account = try await engine.accounts.create(
        name: user, emailAddress: "\(user)@example.org")
      users[user] = account.id
      for name in names {
        let token = try await engine.webAuthTokens.issue(
          for: account.id, in: containerEnvironment, keep: true)
        devices.append(Device(self, name, user, account.id, token))
      }
    }
    for device in devices { device.startApp() }
  }

  /// The devices of those whom alice's zone is shared with.
  var participants: [Device] { devices.filter { $0.user != "alice" } }

  func device(_ name: String) -> Device? { devices.first { $0.name == name } }

  // MARK: Servers

  /// What a clock shows that is right.
  var clock: Milliseconds { 1_795_176_000_000 + now }

  func startServer(on node: Node) async throws {
    let host = BrumeCore.Host(
      now: node.startClock(),
      uuid: { UUID().uuidString },
      randomBytes: { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      })
    // Whoever's request it was in which the last one died, this one's work is its own.
    let process = try await Exchange.$current.withValue(nil) {
      try await ServerProcess(node, host)
    }
    node.process = process
    note("server \(node.number) started")
  }

  /// Which server a request comes to, as if a balancer chose.
  func someServer() -> ServerProcess? {
    let running = nodes.compactMap(\.process)
    return running.count > 1 ? chance.pick(running) : running.first
  }

  /// The process ends as it is: nothing that it had under way goes on.
  private func killServer(on node: Node) {
    note("server \(node.number) killed")
    node.process?.kill()
    node.process = nil
    node.pausedUntil = 0
  }

  func killServerForAWhile(on node: Node) async {
    killServer(on: node)
    await startServerSoon(on: node)
  }

  private func startServerSoon(on node: Node) async {
    await sleep(200)
    do { try await startServerIfNone(on: node) } catch { fail("no start: \(error)") }
  }

  func startServerIfNone(on node: Node) async throws {
    guard node.process == nil, !node.isStarting else { return }
    node.isStarting = true
    defer { node.isStarting = false }
    try await startServer(on: node)
  }

  func pause(_ node: Node, for time: Milliseconds) {
    note("server \(node.number) stands still for \(time)")
    node.pausedUntil = now + time
  }

  /// Sets a machine's clock. Where there are several it is set by hours, and the disk's clock by as many minutes.
  func jump(_ node: Node, by time: Milliseconds) {
    if nodes.count == 1 { return node.skew += time }
    node.skew += 60 * time
    disk.skew += time
    if time < 0 { disk.wasSetBack = true }
  }

  /// A notifier has read its log, and writes next.
  func notifierWrites(on node: Node) {
    guard let time = pausesNotifier else { return }
    pausesNotifier = nil
    pause(node, for: time)
  }

  /// Somebody's save is durable, and nobody knows of it yet.
  func committed(on node: Node) {
    guard killsAtCommit else { return }
    killsAtCommit = false
    killServer(on: node)
    Task { await startServerSoon(on: node) }
  }
}
