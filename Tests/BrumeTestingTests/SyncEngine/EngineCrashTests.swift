import BrumeKit
import BrumeTesting
import Foundation
import Testing

/// The phone dies between any two steps, and starts again from what it kept; or the network fails at
/// any call. Whatever happens, nothing that was pending is lost, and nothing deleted comes back.
@Suite(.timeLimit(.minutes(10))) struct EngineCrashTests {
  @Test(arguments: CrashScenario.all)
  func `killed between any two steps of a sync, the app ends where it should`(
    scenario: CrashScenario
  ) async throws {
    let found = try await scenario.search(.atAStep)
    #expect(found.wrong == [])
    #expect(found.points >= scenario.stepsAtLeast)
  }

  @Test(arguments: CrashScenario.all)
  func
    `killed while a call is on its way, before or after its effect, the app ends where it should`(
      scenario: CrashScenario
    ) async throws
  {
    for fault in [LocalServer.Fault.error(.networkFailure), .lostAnswer()] {
      let found = try await scenario.search(.inACall(fault))
      #expect(found.wrong == [])
      #expect(found.points >= scenario.callsAtLeast)
    }
  }

  /// The search must be able to fail: each of these loses something that it has to find.
  @Test(arguments: [
    (NotesApp.Disk.Flaw.notesAfterState, CrashScenario.edits), (.notesAfterState, .pages),
    (.forgetsRecords, .edits), (.forgetsZones, .zones),
  ])
  func `a search over an app that keeps the wrong things finds what is lost`(
    flaw: NotesApp.Disk.Flaw, scenario: CrashScenario
  ) async throws {
    let found = try await scenario.search(.atAStep, flaw: flaw)
    #expect(!found.wrong.isEmpty)
  }

  @Test func `killed twice in the same sync, the app ends where it should`() async throws {
    let scenario = CrashScenario.edits
    for step in stride(from: 3, to: 24, by: 4) {
      let world = try await scenario.prepare()
      scenario.arm(world.phone, world, .atAStep, step)
      try? await world.phone.sync()
      #expect(try await scenario.end(world.phone, world))
      let second = try NotesApp(
        world.server.restartedDevice("phone"), disk: world.phone.disk.found)
      scenario.arm(second, world, .atAStep, step + 2)
      try? await second.sync()
      _ = try await scenario.end(second, world)
      let wrong = try await scenario.differences(
        after: second, world, "killed at \(step), and again")
      #expect(wrong == [])
    }
  }

  @Test(arguments: [
    LocalServer.Fault.lostAnswer(), .error(.serviceUnavailable), .throttled(retryAfter: 1),
    .error(.zoneBusy),
  ])
  func `a fault at any call, and a crash after the sync, lose nothing`(
    fault: LocalServer.Fault
  ) async throws {
    let scenario = CrashScenario.edits
    var calls = 0
    while true {
      let world = try await scenario.prepare()
      world.server.faults.add(fault.device("phone").skipping(calls))
      try? await world.phone.sync()
      let wasMet = world.server.faults.waiting == 0
      world.server.faults.clear()
      await world.phone.engine.cancelOperations()
      let wrong = try await scenario.differences(after: world.phone, world, "at call \(calls + 1)")
      #expect(wrong == [])
      if !wasMet { break }
      calls += 1
    }
    #expect(calls >= scenario.callsAtLeast, "the fault met hardly any calls")
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
