// Numbers of databases and zones, from a sequence that a server which dies may set back.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(1))) struct PlaceNumberTests {
  private let connection: Connection
  private static let begin = SQL("BEGIN")
  private static let back = SQL("SELECT setval('place_numbers', $1, false)")

  init() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    try await PostgresStore.forTest(url: url).close()
    connection = try Connection.forTest(url)
  }

  @Test func `numbers of a block are given on when the transaction that took it is committed`()
    throws
  {
    let numbers = PlaceNumbers()
    let first = try transaction(numbers, commits: true) { try $0.newNumber() }
    #expect(try transaction(numbers, commits: true) { try $0.newNumber() } == first + 1)
  }

  @Test func `a block goes with the transaction that took it, which another server may have too`()
    throws
  {
    let (mine, others) = (PlaceNumbers(), PlaceNumbers())
    let lost = try transaction(mine, commits: false) { try [$0.newNumber(), $0.newNumber()] }
    #expect(lost[1] == lost[0] + 1)
    // The server died before it was written down.
    try connection.send(Self.back, [.integer(lost[0])])
    _ = try connection.exchange()
    let theirs = try transaction(others, commits: true) { places in
      try (0..<3).map { _ in try places.newNumber() }
    }
    #expect(theirs[0] == lost[0], "the block is given again")
    let next = try transaction(mine, commits: true) { places in
      try (0..<3).map { _ in try places.newNumber() }
    }
    #expect(Set(theirs).isDisjoint(with: next))
  }

  @Test func `a body that throws leaves the block to those behind it`() throws {
    let numbers = PlaceNumbers()
    try transaction(numbers, commits: true) { places in
      let first = try places.newNumber()
      places.forget()
      #expect(try places.newNumber() == first + 1)
    }
  }

  @Test func `of two places with one number the second is refused, and the first stays`() throws {
    let (mine, others) = (PlaceNumbers(), PlaceNumbers())
    mine.add(1..<3)
    let (zone, other) = (ZoneKey.sample("A"), ZoneKey.sample("B"))
    try transaction(mine, commits: true) { _ = try $0.givenNumber(of: zone) }
    // The zone has the first number, and its database the second.
    for body: (Places) throws -> Void in [
      { _ = try $0.givenNumber(of: other) },
      { places in _ = try (places.newNumber(), places.givenNumber(of: .sample(owner: "_b"))) },
    ] {
      others.add(1..<3)
      let error = #expect(throws: ServerError.self) {
        try transaction(others, commits: true, body)
      }
      #expect(error?.storeError.code == .corrupt)
    }
    let found = try transaction(PlaceNumbers(), commits: false) { places in
      try [places.number(of: zone), places.number(of: zone.database), places.number(of: other)]
    }
    #expect(found == [1, 2, nil])
  }

  private func transaction<Value>(
    _ numbers: PlaceNumbers, commits: Bool, _ body: (Places) throws -> Value
  ) throws -> Value {
    let session = Session(connection)
    let places = Places(session, numbers, bucketCount: 1)
    session.begin(Self.begin)
    let value = try body(places)
    session.accept()
    if commits {
      do { try session.commit() } catch {
        try session.end()
        throw error
      }
      places.committed()
    } else {
      try session.end()
    }
    return value
  }
}
