// Hints for the console's pages: merged, bounded, and gone with who listens.

import BrumeModel
import HTTPTypes
import Testing

@testable import BrumeServer

@Suite struct ConsoleEventTests {
  @Test func `what comes while nobody looks is one hint`() async throws {
    let events = ConsoleEvents()
    events.note(.server)
    let listener = try events.listen()
    for event in [ConsoleEvent.data, .pushes, .data] { events.note(event) }
    var found: [Set<ConsoleEvent>] = []
    try await listener.follow {
      found.append($0)
      return false
    }
    #expect(found == [[.data, .pushes]])
  }

  @Test func `so many listen and no more, and who leaves makes room`() throws {
    let events = ConsoleEvents()
    var listeners = try (0..<50).map { _ in try events.listen() }
    let refusal = #expect(throws: BrumeError.self) { _ = try events.listen() }
    #expect(refusal?.code == .throttled)
    #expect(events.listenerCount == 50)
    listeners.removeLast()
    #expect(events.listenerCount == 49)
    listeners.append(try events.listen())
    listeners = []
    #expect(events.listenerCount == 0)
  }

  @Test func `a stream that is asked to end ends`() async throws {
    let events = ConsoleEvents()
    let listener = try events.listen()
    listener.finish()
    try await listener.follow { _ in true }
    #expect(events.listenerCount == 0)
  }

  @Test func `a call reports what it changed, one that only reads nothing`()
    async throws
  {
    let events = ConsoleEvents()
    let listener = try events.listen()
    let endpoints = try await ServerFixture.endpoints()
    func reported(_ path: String, _ method: String) async throws -> Set<ConsoleEvent> {
      for endpoint in endpoints
      where endpoint.path == path && endpoint.methods.contains(where: { $0.rawValue == method }) {
        events.note(endpoint)
      }
      events.note(.pushes)
      var found: Set<ConsoleEvent> = []
      try await listener.follow {
        found = $0
        return false
      }
      return found.subtracting([.pushes])
    }
    let database = "/database/1/:container/:environment/:database"
    #expect(try await reported("\(database)/records/modify", "POST") == [.data, .requests])
    #expect(try await reported("\(database)/records/query", "POST") == [.requests])
    #expect(try await reported("/_brume/admin/users", "GET") == [])
    #expect(try await reported("/_brume/admin/users", "POST") == [.server])
    #expect(try await reported("/_brume/health/ready", "GET") == [])
  }
}
