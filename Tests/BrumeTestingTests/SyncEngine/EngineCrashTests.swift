import BrumeKit
import BrumeTesting
import Foundation
import Testing

/// The phone dies between any two steps, and starts again from what it kept; or the network fails at
/// any call. Whatever happens, nothing that was pending is lost, and nothing deleted comes back.
@Suite(.timeLimit(.minutes(2))) struct EngineCrashTests {
  static let expected = ["a": "phone", "c": "new", "d": "laptop", "f": "phone"]

  /// The phone has changes to send and changes to fetch: an edit, a deletion and a new note here; an
  /// edit, a deletion there; and a conflict.
  private func busy() async throws -> EngineWorld {
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

  /// Syncs until nothing is left, and looks at both sides.
  private func expectConverged(_ app: NotesApp, _ world: EngineWorld, _ when: String) async throws {
    for _ in 0..<4 { try await app.sync() }
    #expect(app.pending.isEmpty, "\(when)")
    #expect(app.notes == Self.expected, "\(when)")
    #expect(try await world.stored() == Self.expected, "\(when)")
  }

  @Test func `killed between any two steps of a sync, the app ends where it should`() async throws {
    var steps = 0
    while true {
      steps += 1
      let world = try await busy()
      world.phone.crash.arm(afterSteps: steps)
      try? await world.phone.sync()
      let survived = !world.phone.crash.isDead
      await world.phone.engine.cancelOperations()
      let next = try NotesApp(world.server.restartedDevice("phone"), disk: world.phone.disk)
      try await expectConverged(next, world, "killed after \(steps) steps")
      if survived { break }
    }
    #expect(steps > 20, "the sync has hardly any steps: does the app still count them?")
  }

  @Test func `killed twice in the same sync, the app ends where it should`() async throws {
    for steps in stride(from: 3, to: 24, by: 4) {
      let world = try await busy()
      world.phone.crash.arm(afterSteps: steps)
      try? await world.phone.sync()
      await world.phone.engine.cancelOperations()
      let second = try NotesApp(world.server.restartedDevice("phone"), disk: world.phone.disk)
      second.crash.arm(afterSteps: steps + 2)
      try? await second.sync()
      await second.engine.cancelOperations()
      let third = try NotesApp(world.server.restartedDevice("phone"), disk: world.phone.disk)
      try await expectConverged(third, world, "killed after \(steps) steps, and again")
    }
  }

  @Test(arguments: [
    LocalServer.Fault.lostAnswer(), .error(.networkFailure), .error(.serviceUnavailable),
    .throttled(retryAfter: 1), .error(.zoneBusy),
  ])
  func `a fault at any call, and a crash after it, lose nothing`(
    fault: LocalServer.Fault
  ) async throws {
    var calls = 0
    while true {
      let world = try await busy()
      world.server.faults.add(fault.device("phone").skipping(calls))
      try? await world.phone.sync()
      let wasMet = world.server.faults.waiting == 0
      world.server.faults.clear()
      await world.phone.engine.cancelOperations()
      let next = try NotesApp(world.server.restartedDevice("phone"), disk: world.phone.disk)
      try await expectConverged(next, world, "a fault at call \(calls + 1)")
      if !wasMet { break }
      calls += 1
    }
    #expect(calls >= 2, "the fault met hardly any calls")
  }

  @Test func `a deletion that was killed on its way is sent again, and the record stays gone`()
    async throws
  {
    let world = try await EngineWorld(notes: ["a"])
    world.phone.delete("a")
    try await world.phone.until { world.phone.disk.pending == ["a"] }
    world.server.faults.add(.lostAnswer(on: .deleteRecords))
    try? await world.phone.engine.sendChanges()
    let next = try NotesApp(world.server.restartedDevice("phone"), disk: world.phone.disk)
    #expect(next.pending == [.deleteRecord(NotesApp.id("a"))])
    try await next.sync()
    #expect(next.pending.isEmpty && next.notes.isEmpty)
    #expect(try await world.stored().isEmpty)
  }
}
