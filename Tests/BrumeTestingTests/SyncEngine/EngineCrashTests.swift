import BrumeKit
import BrumeTesting
import Foundation
import Testing

/// The phone crashes between any two steps, and starts again from what it kept; or the network fails at
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
      let fixture = try await scenario.prepare()
      scenario.arm(fixture.phone, fixture, .atAStep, step)
      try? await fixture.phone.sync()
      #expect(try await scenario.end(fixture.phone, fixture))
      let second = try NotesApp(
        fixture.server.restartedDevice("phone"), disk: fixture.phone.disk.found)
      scenario.arm(second, fixture, .atAStep, step + 2)
      try? await second.sync()
      _ = try await scenario.end(second, fixture)
      let wrong = try await scenario.differences(
        after: second, fixture, "killed at \(step), and again")
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
      let fixture = try await scenario.prepare()
      fixture.server.faults.add(fault.device("phone").skipping(calls))
      try? await fixture.phone.sync()
      let wasApplied = fixture.server.faults.waiting == 0
      fixture.server.faults.clear()
      await fixture.phone.engine.cancelOperations()
      let wrong = try await scenario.differences(
        after: fixture.phone, fixture, "at call \(calls + 1)")
      #expect(wrong == [])
      if !wasApplied { break }
      calls += 1
    }
    #expect(calls >= scenario.callsAtLeast, "the fault met hardly any calls")
  }

  @Test func `a deletion that was killed on its way is sent again, and the record stays gone`()
    async throws
  {
    let fixture = try await SyncEngineFixture(notes: ["a"])
    fixture.phone.delete("a")
    try await fixture.phone.until { fixture.phone.disk.pending == ["a"] }
    fixture.server.faults.add(.lostAnswer(on: .deleteRecords))
    try? await fixture.phone.engine.sendChanges()
    let next = try NotesApp(fixture.server.restartedDevice("phone"), disk: fixture.phone.disk)
    #expect(next.pending == [.deleteRecord(NotesApp.id("a"))])
    try await next.sync()
    #expect(next.pending.isEmpty && next.notes.isEmpty)
    #expect(try await fixture.stored().isEmpty)
  }
}
