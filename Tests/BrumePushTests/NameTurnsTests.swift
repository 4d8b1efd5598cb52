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
