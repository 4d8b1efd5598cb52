// Lookups that get no answer, beside others.

import BrumeModel
import BrumePush
import BrumeTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct NameTurnsTests {
  @Test func `lookups of one domain that get no answer leave threads to all others`() async throws {
    let turns = NameTurns()
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    let begun = Mutexed(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<(NameTurns.perDomain + 2) {
        group.addTask {
          try await turns.take("n\(number).Slow.example.") {
            begun.change { $0 += 1 }
            for await _ in answers { break }
          }
        }
      }
      while begun.value < NameTurns.perDomain { await Task.yield() }
      // Somebody else's goes on.
      #expect(try await turns.take("push.example.org") { 7 } == 7)
      #expect(begun.value == NameTurns.perDomain)
      answer.finish()
      try await group.waitForAll()
    }
    #expect(begun.value == NameTurns.perDomain + 2)
  }

  @Test func `names of many domains that one user gives leave threads to all others`()
    async throws
  {
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    let begun = Mutexed(0)
    let outside = OutsideGuard(allowed: []) { name in
      if name.hasSuffix(".example") {
        begun.change { $0 += 1 }
        for await _ in answers { break }
      }
      return [.v4(0x0808_0808)]
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<(NameTurns.perDomain + 2) {
        group.addTask {
          _ = try await outside.target("https://slow\(number).example/x", for: UserID("_a"))
        }
      }
      while begun.value < NameTurns.perDomain { await Task.yield() }
      // Somebody else's goes on, and the operator's.
      for user in [UserID("_b"), nil] {
        _ = try await outside.target("https://push.example.org/x", for: user)
      }
      #expect(begun.value == NameTurns.perDomain)
      answer.finish()
      try await group.waitForAll()
    }
    #expect(begun.value == NameTurns.perDomain + 2)
  }

  @Test func `nobody waits for a lookup that lasts too long, which keeps its turn until it ends`()
    async throws
  {
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    let begun = Mutexed(0)
    let outside = OutsideGuard(
      allowed: [],
      timeIsUp: { while begun.value < NameTurns.perDomain { await Task.yield() } }
    ) { _ in
      begun.change { $0 += 1 }
      // As the system's, it is not ended by who gives up.
      await Task.detached { for await _ in answers { break } }.value
      return [.v4(0x0808_0808)]
    }
    @Sendable func isGivenUp(_ number: Int) async -> Bool {
      do throws(BrumeError) {
        _ = try await outside.target("https://slow\(number).example/x", for: UserID("_a"))
        return false
      } catch { return error.code == .tryAgainLater }
    }
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<NameTurns.perDomain { group.addTask { await isGivenUp(number) } }
      for await isGivenUp in group { #expect(isGivenUp) }
    }
    #expect(await isGivenUp(NameTurns.perDomain))
    #expect(begun.value == NameTurns.perDomain, "it had no turn")
    answer.finish()
  }

  @Test func `a lookup that is cancelled waits no more, and takes nobody's turn`() async throws {
    let turns = NameTurns()
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    let begun = Mutexed(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<NameTurns.perDomain {
        group.addTask {
          try await turns.take("n\(number).slow.example") {
            begun.change { $0 += 1 }
            for await _ in answers { break }
          }
        }
      }
      while begun.value < NameTurns.perDomain { await Task.yield() }
      let given = Task {
        try await turns.take("up.slow.example") { _ = Issue.record("it was looked up") }
      }
      while turns.waiting < 1 { await Task.yield() }
      group.addTask { try await turns.take("next.slow.example") { begun.change { $0 += 1 } } }
      while turns.waiting < 2 { await Task.yield() }
      given.cancel()
      // None of those that run has ended.
      await #expect(throws: CancellationError.self) { try await given.value }
      #expect(turns.waiting == 1)
      answer.finish()
      try await group.waitForAll()
    }
    #expect(begun.value == NameTurns.perDomain + 1)
    #expect(turns.waiting == 0)
  }

  @Test func `domains that have not answered leave threads to those that have`() async throws {
    struct Failure: Error {}
    let turns = NameTurns()
    for name in ["push.live.example", "push.late.example"] {
      #expect(try await turns.take(name) { 7 } == 7)
    }
    await #expect(throws: Failure.self) {
      try await turns.take("push.late.example") { throw Failure() }
    }
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    let begun = Mutexed(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<NameTurns.ofUnknown {
        group.addTask {
          try await turns.take("push.dead\(number).example") {
            begun.change { $0 += 1 }
            for await _ in answers { break }
          }
        }
      }
      while begun.value < NameTurns.ofUnknown { await Task.yield() }
      // One that no longer answers, and one that nobody has asked for yet.
      for name in ["push.late.example", "push.new.example"] {
        group.addTask { try await turns.take(name) { begun.change { $0 += 1 } } }
      }
      while turns.waiting < 2 { await Task.yield() }
      #expect(try await turns.take("other.Live.example") { 7 } == 7)
      #expect(begun.value == NameTurns.ofUnknown)
      answer.finish()
      try await group.waitForAll()
    }
    #expect(begun.value == NameTurns.ofUnknown + 2)
  }

  @Test func `a lookup that fails gives its turn on`() async throws {
    struct Failure: Error {}
    let turns = NameTurns()
    for _ in 0...NameTurns.perDomain {
      await #expect(throws: Failure.self) {
        try await turns.take("slow.example") { throw Failure() }
      }
    }
    #expect(try await turns.take("slow.example") { 7 } == 7)
  }
}
