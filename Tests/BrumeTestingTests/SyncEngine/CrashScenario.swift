// What a phone has to do when it is killed, and what must be there when its next start has done it.

import BrumeKit
import BrumeTesting
import Foundation
import Testing

struct CrashScenario: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The steps that a whole sync has at least; fewer mean that the app does not count them any more.
  let stepsAtLeast: Int
  /// The calls of the server that it has at least.
  let callsAtLeast: Int
  /// What the phone and the server have in the end.
  let expected: [String: String]
  let prepare: @Sendable () async throws -> EngineWorld

  static let all = [edits, pages, zones, account]

  /// Edits, deletions and new notes, here and there; a conflict.
  static let edits = CrashScenario(
    testDescription: "edits on both sides", stepsAtLeast: 20, callsAtLeast: 3,
    expected: ["a": "phone", "c": "new", "d": "laptop", "f": "phone"]
  ) {
    let world = try await EngineWorld(notes: ["a", "b", "d", "e", "f"])
    world.laptop.write("laptop", to: "d")
    world.laptop.delete("e")
    world.laptop.write("laptop", to: "f")
    try await world.laptop.engine.sendChanges()
    world.phone.write("phone", to: "a")
    world.phone.delete("b")
    world.phone.write("new", to: "c")
    world.phone.write("phone", to: "f")
    try await world.phone.until { world.phone.disk.pending == ["a", "b", "c", "f"] }
    return world
  }

  /// More notes to fetch and to send than one request takes: killed between the pages.
  static let pages = CrashScenario(
    testDescription: "several pages", stepsAtLeast: 24, callsAtLeast: 5,
    expected: Dictionary(
      uniqueKeysWithValues: (0..<12).map { ("p\($0)", "phone") }
        + (0..<24).map { ("l\($0)", "laptop") } + [("old", "old")])
  ) {
    let world = try await EngineWorld(notes: ["old", "gone"], smallLimits: true)
    for number in 0..<24 { world.laptop.write("laptop", to: "l\(number)") }
    world.laptop.delete("gone")
    try await world.laptop.engine.sendChanges()
    for number in 0..<12 { world.phone.write("phone", to: "p\(number)") }
    try await world.phone.until { world.phone.disk.pending.count == 12 }
    return world
  }

  /// A zone that the phone deletes, one that it makes, and one that is gone, with an edit in it that
  /// waits.
  static let zones = CrashScenario(
    testDescription: "zones that come and go", stepsAtLeast: 20, callsAtLeast: 4,
    expected: ["a": "a", "n": "new"]
  ) {
    let world = try await EngineWorld(notes: ["a"])
    let (own, theirs, new) = (zone("Own"), zone("Theirs"), zone("New"))
    for old in [own, theirs] {
      world.phone.engine.state.add(
        pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: old))])
      world.phone.write("x", to: old.zoneName, zone: old)
    }
    try await world.phone.sync()
    try await world.laptop.engine.fetchChanges()
    world.laptop.deleteZone(theirs)
    try await world.laptop.engine.sendChanges()
    world.phone.deleteZone(own)
    world.phone.engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: new))])
    world.phone.write("new", to: "n", zone: new)
    world.phone.write("late", to: theirs.zoneName, zone: theirs)
    try await world.phone.until {
      world.phone.disk.pendingZones == 2 && world.phone.disk.pending == ["n", theirs.zoneName]
    }
    return world
  }

  /// Somebody else signs in while changes wait: nothing of the first user stays or is sent.
  static let account = CrashScenario(
    testDescription: "another account", stepsAtLeast: 12, callsAtLeast: 3,
    expected: ["bobs": "bobs"]
  ) {
    let world = try await EngineWorld(notes: ["a"])
    let bobs = try NotesApp(try await world.server.device("tablet", of: "bob"))
    bobs.makeZone()
    bobs.write("bobs", to: "bobs")
    try await bobs.sync()
    world.phone.write("secret", to: "s")
    world.phone.delete("a")
    try await world.phone.until { world.phone.disk.pending == ["s", "a"] }
    try await world.server.signIn("phone", as: "bob")
    return world
  }

  private static func zone(_ name: String) -> CKRecordZone.ID { CKRecordZone.ID(zoneName: name) }
}

extension CrashScenario {
  /// What a search of all crash points found.
  struct Found: Sendable {
    var points = 0
    /// What was not as it should be, and where.
    var wrong: [String] = []
  }

  /// How the phone dies.
  enum Death: Sendable {
    /// At a step of the app: before or after it deals with an event, or gives a batch.
    case atAStep
    /// While a call is on its way; `fault` says whether it arrived.
    case inACall(LocalServer.Fault)
  }

  /// Kills the phone at every point, one after the other, and starts it again.
  func search(_ death: Death, flaw: NotesApp.Disk.Flaw? = nil) async throws -> Found {
    var found = Found()
    while true {
      let world = try await prepare()
      var phone = world.phone
      if let flaw {
        phone = try NotesApp(
          world.server.restartedDevice("phone"), disk: phone.disk.with(flaw))
      }
      arm(phone, world, death, found.points)
      try? await phone.sync()
      let wasKilled = try await end(phone, world)
      guard wasKilled else { return found }
      found.points += 1
      found.wrong += try await differences(
        after: phone, world, "\(testDescription), killed at point \(found.points)")
    }
  }

  /// Lets the phone die after so many points. What is left of it cannot reach the server.
  func arm(_ phone: NotesApp, _ world: EngineWorld, _ death: Death, _ passed: Int) {
    phone.crash.whenDead { [faults = world.server.faults] in
      faults.add(LocalServer.Fault.error(.networkFailure).device("phone").always)
    }
    switch death {
    case .atAStep: phone.crash.arm(atStep: passed + 1)
    case .inACall(let fault):
      world.server.faults.add(fault.device("phone").skipping(passed))
      phone.crash.arm(when: { [faults = world.server.faults] in faults.waiting == 0 })
    }
  }

  /// Takes away what is left of a phone. Answers whether it was killed: also by a call after which it
  /// did nothing any more.
  func end(_ phone: NotesApp, _ world: EngineWorld) async throws -> Bool {
    let isCallOnItsWay = world.server.faults.waiting > 0 && !phone.crash.isDead
    await phone.engine.cancelOperations()
    let wasKilled = phone.crash.isDead || (phone.crash.diesInACall && !isCallOnItsWay)
    world.server.faults.clear()
    return wasKilled
  }

  /// Starts the app from what was kept, syncs until nothing should be left, and looks at both sides.
  func differences(
    after phone: NotesApp, _ world: EngineWorld, _ place: String
  ) async throws -> [String] {
    let next = try NotesApp(world.server.restartedDevice("phone"), disk: phone.disk.found)
    for _ in 0..<4 { try await next.sync() }
    let stored = try await world.storedInAllZones()
    var wrong: [String] = []
    if !next.pending.isEmpty { wrong.append("\(place): still pending \(next.pending)") }
    if next.notes != expected { wrong.append("\(place): the phone has \(next.notes)") }
    if stored != expected { wrong.append("\(place): the server has \(stored)") }
    return wrong
  }
}
