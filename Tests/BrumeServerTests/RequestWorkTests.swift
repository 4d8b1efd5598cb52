// What a request may take: time, and only while somebody waits for it; its caller's turn; memory.

import BrumeModel
import BrumeServer
import BrumeWire
import Foundation
import Testing

@Suite struct RequestWorkTests {
  @Test func `a request that takes too long is ended and answered 503`() async throws {
    try await HeldServer.live {
      $0.timeouts.request = 1
    } _: { server in
      server.store.stopNextRead()
      let socket = try server.connect()
      defer { socket.close() }
      await socket.send(server.post("zones/list"))
      #expect(await server.store.happens(.cancelled), "the work behind it")
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 503 "), "\(answer)")
      #expect(answer.contains("TRY_AGAIN_LATER") && answer.contains("longer than 1 seconds"))
      #expect(answer.lowercased().contains("x-apple-request-uuid: "))
      #expect(answer.lowercased().contains("retry-after: "))
      #expect(try await server.answer(server.post("zones/list")).hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test func `a request whose client has gone is ended`() async throws {
    try await HeldServer.live { server in
      server.store.stopNextRead()
      let socket = try server.connect()
      await socket.send(server.post("zones/list"))
      #expect(await server.store.happens(.stopped))
      socket.vanish()
      #expect(await server.store.happens(.cancelled))
    }
  }

  @Test func `a stream that opens has no deadline, and ends when its client goes`() async throws {
    try await HeldServer.live {
      $0.timeouts.request = 1
    } _: { server in
      server.store.stopNextRead()
      let socket = try server.connect()
      let path = "/_brume/stream?container=\(ServerFixture.container)&environment=development"
      let query = server.fixture.credentials("bob", device: "phone")
      await socket.send("GET \(path)&\(query) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(await server.store.happens(.stopped))
      // A request that is ended by its deadline was begun later.
      let late = try server.connect()
      server.store.stopNextRead()
      await late.send(server.post("zones/list"))
      #expect(await server.store.happens(.cancelled))
      #expect(await late.readToEnd()?.hasPrefix("HTTP/1.1 503 ") == true)
      socket.vanish()
      #expect(await server.store.happens(.cancelled))
    }
  }

  @Test func `a caller whose requests are all at work waits or is refused, others go on`()
    async throws
  {
    try await HeldServer.live {
      $0.limits.requestsAtOncePerCaller = 1
      $0.limits.requestsWaitingPerCaller = 0
    } _: { server in
      let zone = #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"z"}}}]}"#
      server.store.stopNextWrite()
      let first = try server.connect()
      defer { first.close() }
      await first.send(server.post("zones/modify", zone))
      #expect(await server.store.happens(.stopped))
      let second = try await server.answer(server.post("zones/list"))
      #expect(second.hasPrefix("HTTP/1.1 429 ") && second.contains("THROTTLED"), "\(second)")
      #expect(second.lowercased().contains("retry-after: 1"))
      let other = try await server.answer(server.post("zones/list", as: "bob"))
      #expect(other.hasPrefix("HTTP/1.1 200 "), "\(other)")
      server.store.letGo()
      #expect(await first.read { HeldServer.isWhole($0) }?.hasPrefix("HTTP/1.1 200 ") == true)
    }
  }

  @Test func `a request that waits for its turn is answered after the one before`() async throws {
    try await HeldServer.live {
      $0.limits.requestsAtOncePerCaller = 1
    } _: { server in
      let zone = #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"z"}}}]}"#
      server.store.stopNextWrite()
      let first = try server.connect()
      let second = try server.connect()
      defer { first.close() }
      defer { second.close() }
      await first.send(server.post("zones/modify", zone))
      #expect(await server.store.happens(.stopped))
      await second.send(server.post("zones/list"))
      server.store.letGo()
      #expect(await first.read { HeldServer.isWhole($0) }?.hasPrefix("HTTP/1.1 200 ") == true)
      #expect(await second.read { HeldServer.isWhole($0) }?.contains(#""z""#) == true)
    }
  }

  @Test func `a body for which there is no memory is 503, and the memory comes back`() async throws
  {
    try await HeldServer.live {
      $0.limits.bodyBytesAtOncePerAddress = 1000
    } _: { server in
      let large = #"{"x":""# + String(repeating: "x", count: 2000) + #""}"#
      let refused = try await server.answer(server.post("zones/list", large))
      #expect(refused.hasPrefix("HTTP/1.1 503 "), "\(refused)")
      #expect(refused.lowercased().contains("connection: close"))
      #expect(refused.lowercased().contains("retry-after: 1"))
      #expect(server.fixture.server.bodyMemory.held == 0)
      for _ in 0..<3 {
        let small = #"{"x":""# + String(repeating: "x", count: 900) + #""}"#
        #expect(
          try await server.answer(server.post("zones/list", small)).hasPrefix("HTTP/1.1 200 "))
      }
    }
  }

  /// They are counted when they have been read: until then a bracket may be a part of a text.
  @Test func `the memory that the values of a body take counts while its request is at work`()
    async throws
  {
    try await HeldServer.live {
      $0.limits.bodyBytesAtOncePerAddress = 200_000
    } _: { server in
      let memory = server.fixture.server.valueMemory
      // The object, its list, and of each zone three.
      let zones = (0..<50).map { #"{"zoneID":{"zoneName":"zone-\#($0)"}}"# }
      let request = server.post("zones/lookup", #"{"zones":[\#(zones.joined(separator: ","))]}"#)
      let bytes = (2 + 3 * zones.count) * JSONBounds.bytesOfValue
      // One user has no more than half of what an address has.
      let bob = memory.share(of: "127.0.0.1", and: "bob")
      let carol = memory.share(of: "127.0.0.1", and: "carol")
      try bob.take(100_000)
      try carol.take(100_000 - bytes)
      #expect(try await server.answer(request).hasPrefix("HTTP/1.1 200 "))
      while memory.held > 200_000 - bytes { await Task.yield() }
      try carol.take(1)
      let refused = try await server.answer(request)
      #expect(refused.hasPrefix("HTTP/1.1 503 "), "\(refused)")
      #expect(refused.contains("TRY_AGAIN_LATER") && refused.contains("too many values"))
      #expect(refused.lowercased().contains("retry-after: 1"))
      // What has few is not counted.
      #expect(try await server.answer(server.post("zones/list")).hasPrefix("HTTP/1.1 200 "))
      carol.giveBack()
      bob.giveBack()
    }
  }

  @Test func `the memory that arrays and objects of a body will take counts with it`() async throws
  {
    try await HeldServer.live {
      $0.limits.bodyBytesAtOncePerAddress = 1000
    } _: { server in
      // 70 bytes, and 33 times 32 for what they become.
      let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
      let refused = try await server.answer(server.post("zones/list", #"{"x":\#(deep)}"#))
      #expect(refused.hasPrefix("HTTP/1.1 503 "), "\(refused)")
      #expect(server.fixture.server.bodyMemory.held == 0)
    }
  }

  @Test func `bodies of one address leave memory to others, and all together have a bound`() throws
  {
    let memory = HeldBytes(most: 100, mostOfOne: 60, refusal: "full")
    let mine = memory.share(of: "a")
    try mine.take(60)
    #expect(throws: (any Error).self) { try memory.share(of: "a").take(1) }
    let yours = memory.share(of: "b")
    try yours.take(40)
    #expect(throws: (any Error).self) { try memory.share(of: "c").take(1) }
    mine.giveBack()
    mine.giveBack()
    #expect(memory.held == 40)
    try memory.share(of: "c").take(60)
  }

  @Test func `answers of one user have a bound too, at however many addresses`() throws {
    let memory = HeldBytes(most: 100, mostOfOne: 60, refusal: "full")
    let here = memory.share(of: "a", and: "alice")
    try here.take(40)
    #expect(throws: (any Error).self) { try memory.share(of: "b", and: "alice").take(21) }
    let there = memory.share(of: "b", and: "alice")
    try there.take(20)
    let bob = memory.share(of: "a", and: "bob")
    try bob.take(20)
    here.giveBack()
    #expect(memory.held == 40)
    let rest = memory.share(of: "c", and: "alice")
    try rest.take(40)
  }
}
