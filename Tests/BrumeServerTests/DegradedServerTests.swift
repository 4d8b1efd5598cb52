// A server whose pushes wait because of damage says so where readiness is asked, and gets requests all the same.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@Suite struct DegradedServerTests {
  @Test func `a server whose pushes wait for damage to be mended is degraded until they go on`()
    async throws
  {
    let damaged = DamagedRows()
    let fixture = try await ServerFixture(wrapping: { WaitingStore(inner: $0, damaged: damaged) })
    try await fixture.routes { client in
      #expect(try await client.send("/_brume/health/ready").json["status"]?.string == "ready")
      damaged.waits("all pushes")
      let answer = try await client.send("/_brume/health/ready")
      #expect(answer.status == 200)
      #expect(answer.json["status"]?.string == "degraded")
      #expect(answer.json["reason"]?.string?.contains("these wait: all pushes;") == true)
      damaged.goesOn("all pushes")
      #expect(try await client.send("/_brume/health/ready").json["status"]?.string == "ready")
    }
  }

  @Test func `a server whose store meets damage where readiness looks gets requests all the same`()
    async throws
  {
    let damage = Mutexed<(any Error)?>(nil)
    let fixture = try await ServerFixture(
      wrapping: { DamagedStore(inner: $0, damage: damage) })
    // What PostgreSQL says of a page or a counter, and what SQLite's engine says of a row.
    let errors: [any Error] = [
      StoreError(.corrupt, "invalid page in block 0"),
      BrumeError.damaged("the log's last position"),
    ]
    try await fixture.routes { client in
      for error in errors {
        damage.value = error
        let answer = try await client.send("/_brume/health/ready")
        damage.value = nil
        #expect(answer.status == 200)
      }
    }
  }

  @Test func `work that waits is named once, in order, until it goes on`() {
    let damaged = DamagedRows()
    for work in ["b", "a", "b"] { damaged.waits(work) }
    #expect(damaged.waiting == ["a", "b"])
    damaged.goesOn("a")
    damaged.goesOn("c")
    #expect(damaged.waiting == ["b"])
  }
}

private struct WaitingStore: WrappingStore {
  let inner: any Store
  let damaged: DamagedRows
  var damagedRows: DamagedRows? { damaged }
}

/// A store that finds damage in whatever is read, for as long as a test says so.
private struct DamagedStore: WrappingStore {
  let inner: any Store
  let damage: Mutexed<(any Error)?>

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    if let met = damage.value { throw met }
    return try await inner.read(plan, body)
  }
}
