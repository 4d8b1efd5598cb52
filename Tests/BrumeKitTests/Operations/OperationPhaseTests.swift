import Testing

@testable import BrumeKit

@Suite struct OperationPhaseTests {
  @Test func `an operation runs once`() {
    var phase = OperationPhase()
    let starts = [phase.started(isCancelled: false), phase.started(isCancelled: false)]
    #expect(starts == [.run, .nothing])
    #expect(phase.step == .running)
    phase.finished()
    #expect(phase.step == .finished)
    let again = phase.started(isCancelled: false)
    #expect(again == .nothing)
  }

  @Test func `one that was cancelled before it started still reports`() {
    var phase = OperationPhase()
    phase.finished()
    #expect(phase.step == .waiting)
    let start = phase.started(isCancelled: true)
    #expect(start == .reportCancellation)
    phase.finished()
    #expect(phase.step == .finished)
  }

  @Test func `work begins once, while it runs`() {
    var phase = OperationPhase()
    let early = phase.begun()
    _ = phase.started(isCancelled: false)
    let begun = [phase.begun(), phase.begun()]
    #expect(!early)
    #expect(begun == [true, false])
  }
}
