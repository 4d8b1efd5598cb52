// How long a connection of HTTP/2 may keep the server waiting, without sockets.

import BrumeServer
import Testing

struct HTTP2RulesTests {
  private var rules = HTTP2Rules(
    limits: .init(headerMilliseconds: 100, idleMilliseconds: 1000, writeMilliseconds: 300),
    openedAt: 0)

  @Test mutating func `a connection without a request is sent GOAWAY, then closed`() {
    #expect(rules.wakeAt == 100)
    #expect(rules.timeReached(99) == .nothing)
    #expect(rules.timeReached(100) == .leave)
    #expect(rules.wakeAt == 600)
    #expect(rules.timeReached(600) == .close)
  }

  @Test mutating func `a connection is idle when its last request is over`() {
    rules.streamOpened()
    rules.streamOpened()
    rules.streamClosed(at: 50)
    #expect(rules.wakeAt == nil)
    rules.streamClosed(at: 60)
    #expect(rules.wakeAt == 1060)
    rules.streamOpened()
    #expect(rules.wakeAt == nil)
  }

  @Test mutating func `an idle connection is sent GOAWAY`() {
    rules.streamOpened()
    rules.streamClosed(at: 0)
    #expect(rules.timeReached(1000) == .leave)
  }

  @Test mutating func `a client that reads nothing is closed, whatever is open`() {
    rules.streamOpened()
    rules.writabilityChanged(isWritable: false, at: 10)
    rules.writabilityChanged(isWritable: false, at: 200)
    #expect(rules.timeReached(310) == .close)
  }

  @Test mutating func `a client that reads again is not closed`() {
    rules.streamOpened()
    rules.writabilityChanged(isWritable: false, at: 10)
    rules.writabilityChanged(isWritable: true, at: 20)
    #expect(rules.wakeAt == nil)
  }

  @Test mutating func `a server that ends lets open requests come to their end`() {
    rules.streamOpened()
    #expect(rules.shutDown(at: 10) == .leave)
    #expect(rules.shutDown(at: 11) == .nothing)
    #expect(rules.wakeAt == nil)
    rules.streamClosed(at: 20)
    #expect(rules.timeReached(520) == .close)
  }

  @Test mutating func `time that a busy server lost is not the client's`() {
    #expect(rules.timeReached(1000) == .nothing)
    #expect(rules.wakeAt == 1900)
    #expect(rules.timeReached(1900) == .leave)
  }
}
