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
  let prepare: @Sendable () async throws -> SyncEngineFixture

  static let all = [edits, pages, zones, account]

  /// Edits, deletions and new notes, here and there; a conflict.
  static let edits = CrashScenario(
    testDescription: "edits on both sides", stepsAtLeast: 20, callsAtLeast: 3,
    expected: ["a": "phone", "c": "new", "d": "laptop", "f": "phone"]
  ) {
    let fixture = try await SyncEngineFixture(notes: ["a", "b", "d", "e", "f"])
    fixture.laptop.write("laptop", to: "d")
    fixture.laptop.delete("e")
    fixture.laptop.write("laptop", to: "f")
    try await fixture.laptop.engine.sendChanges()
    fixture.phone.write("phone", to: "a")
    fixture.phone.delete("b")
    fixture.phone.write("new", to: "c")
    fixture.phone.write("phone", to: "f")
    try await fixture.phone.until { fixture.phone.disk.pending == ["a", "b", "c", "f"] }
    return fixture
  }

  /// More notes to fetch and to send than one request takes: killed between the pages.
  static let pages = CrashScenario(
    testDescription: "several pages", stepsAtLeast: 24, callsAtLeast: 5,
    expected: Dictionary(
      uniqueKeysWithValues: (0..<12).map { ("p\($0)", "phone") }
        + (0..<24).map { ("l\($0)", "laptop") } + [("old", "old")])
  ) {
    let fixture = try await SyncEngineFixture(notes: ["old", "gone"], smallLimits: true)
    for number in 0..<24 { fixture.laptop.write("laptop", to: "l\(number)") }
    fixture.laptop.delete("gone")
    try await fixture.laptop.engine.sendChanges()
    for number in 0..<12 { fixture.phone.write("phone", to: "p\(number)") }
    try await fixture.phone.until { fixture.phone.disk.pending.count == 12 }
    return fixture
  }

  /// A zone that the phone deletes, one that it makes, and one that is gone, with an edit in it that
  /// waits.
  static let zones = CrashScenario(
    testDescription: "zones that come and go", stepsAtLeast: 20, callsAtLeast: 4,
    expected: ["a": "a", "n": "new"]
  ) {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let (own, theirs, new) = (zone("Own"), zone("Theirs"), zone("New"))
    for old in [own, theirs] {
      fixture.phone.engine.state.add(
        pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: old))])
      fixture.phone.write("x", to: old.zoneName, zone: old)
    }
    try await fixture.phone.sync()
    try await fixture.laptop.engine.fetchChanges()
    fixture.laptop.deleteZone(theirs)
    try await fixture.laptop.engine.sendChanges()
    fixture.phone.deleteZone(own)
    fixture.phone.engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: new))])
    fixture.phone.write("new", to: "n", zone: new)
    fixture.phone.write("late", to: theirs.zoneName, zone: theirs)
    try await fixture.phone.until {
      fixture.phone.disk.pendingZones == 2 && fixture.phone.disk.pending == ["n", theirs.zoneName]
    }
    return fixture
  }

  /// Somebody else signs in while changes wait: nothing of the first user stays or is sent.
  static let account = CrashScenario(
    testDescription: "another account", stepsAtLeast: 12, callsAtLeast: 3,
    expected: ["bobs": "bobs"]
  ) {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    let bobs = try NotesApp(try await fixture.server.device("tablet", of: "bob"))
    bobs.makeZone()
    bobs.write("bobs", to: "bobs")
    try await bobs.sync()
    fixture.phone.write("secret", to: "s")
    fixture.phone.delete("a")
    try await fixture.phone.until { fixture.phone.disk.pending == ["s", "a"] }
    try await fixture.server.signIn("phone", as: "bob")
    return fixture
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

  /// How the phone crashes.
  enum CrashKind: Sendable {
    /// At a step of the app: before or after it deals with an event, or gives a batch.
    case atAStep
    /// While a call is on its way; `fault` says whether it arrived.
    case inACall(LocalServer.Fault)
  }

  /// Kills the phone at every point, one after the other, and starts it again.
  func search(_ crashKind: CrashKind, flaw: NotesApp.Disk.Flaw? = nil) async throws -> Found {
    var found = Found()
    while true {
      let fixture = try await prepare()
      var phone = fixture.phone
      if let flaw {
        phone = try NotesApp(
          fixture.server.restartedDevice("phone"), disk: phone.disk.with(flaw))
      }
      arm(phone, fixture, crashKind, found.points)
      try? await phone.sync()
      let wasKilled = try await end(phone, fixture)
      guard wasKilled else { return found }
      found.points += 1
      found.wrong += try await differences(
        after: phone, fixture, "\(testDescription), killed at point \(found.points)")
    }
  }

  /// Lets the phone die after so many points. What is left of it cannot reach the server.
  func arm(_ phone: NotesApp, _ fixture: SyncEngineFixture, _ crashKind: CrashKind, _ passed: Int) {
    phone.crash.whenCrashed { [faults = fixture.server.faults] in
      faults.add(LocalServer.Fault.error(.networkFailure).device("phone").always)
    }
    switch crashKind {
    case .atAStep: phone.crash.arm(atStep: passed + 1)
    case .inACall(let fault):
      fixture.server.faults.add(fault.device("phone").skipping(passed))
      phone.crash.arm(when: { [faults = fixture.server.faults] in faults.waiting == 0 })
    }
  }

  /// Takes away what is left of a phone. Answers whether it was killed: also by a call after which it
  /// did nothing any more.
  func end(_ phone: NotesApp, _ fixture: SyncEngineFixture) async throws -> Bool {
    let isCallOnItsWay = fixture.server.faults.waiting > 0 && !phone.crash.hasCrashed
    await phone.engine.cancelOperations()
    let wasKilled = phone.crash.hasCrashed || (phone.crash.crashesInACall && !isCallOnItsWay)
    fixture.server.faults.clear()
    return wasKilled
  }

  /// Starts the app from what was kept, syncs until nothing should be left, and looks at both sides.
  func differences(
    after phone: NotesApp, _ fixture: SyncEngineFixture, _ place: String
  ) async throws -> [String] {
    let next = try NotesApp(fixture.server.restartedDevice("phone"), disk: phone.disk.found)
    for _ in 0..<4 { try await next.sync() }
    let stored = try await fixture.storedInAllZones()
    var wrong: [String] = []
    if !next.pending.isEmpty { wrong.append("\(place): still pending \(next.pending)") }
    if next.notes != expected { wrong.append("\(place): the phone has \(next.notes)") }
    if stored != expected { wrong.append("\(place): the server has \(stored)") }
    return wrong
  }
}
