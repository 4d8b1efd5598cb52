import BrumeClient
import BrumeModel
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

/// What one engine is notified of, in words.
private final class Engine: Sendable {
  let taker: EnginePushes.Taker
  private let words: AsyncStream<String>

  init() {
    let (words, sink) = AsyncStream<String>.makeStream()
    self.words = words
    taker = EnginePushes.Taker(
      connected: { sink.yield("connected") }, pushed: { sink.yield("push to \($0 ?? "any")") },
      ended: { sink.yield("ended") })
  }

  func next(_ count: Int) async -> [String] {
    var found: [String] = []
    for await word in words.prefix(count) { found.append(word) }
    return found
  }
}

struct EnginePushesTests {
  private static let push = #"{"aps":{"content-available":1},"ck":{"nid":"n","met":{"sid":"s"}}}"#
  private let one = Engine()
  private let two = Engine()

  /// A server whose streams begin with these texts; the last one is repeated.
  private func server(_ streams: String...) -> AnsweringServer {
    let left = Mutex(streams)
    return AnsweringServer { _ in
      left.withLock { (200, $0.count > 1 ? $0.removeFirst() : $0[0]) }
    }
  }

  /// Two engines, of which the first listens.
  private func both(
    of server: AnsweringServer
  ) -> (Connection, EnginePushes, first: Int, second: Int) {
    let connection = server.container().connection
    let pushes = connection.enginePushes
    let (first, second) = (pushes.add(one.taker), pushes.add(two.taker))
    pushes.listen(first, connection.session, account: 0)
    return (connection, pushes, first, second)
  }

  @Test func `engines of a container share one stream, and each is notified of every push`() async {
    let server = server("id: 1\ndata: \(Self.push)\n\n")
    let (connection, pushes, first, second) = both(of: server)
    #expect(await one.next(2) == ["connected", "push to s"])
    #expect(await two.next(2) == ["connected", "push to s"])
    pushes.listen(second, connection.session, account: 0)
    // What was pushed before it could have pushes is not sent again: it has to fetch.
    #expect(await two.next(1) == ["connected"])
    pushes.received(nil)
    #expect(await one.next(1) == ["push to any"])
    #expect(await two.next(1) == ["push to any"])
    #expect(server.paths == ["/_brume/stream"])
  }

  @Test func `the stream stays until the last engine has gone, and another one begins anew`() async
  {
    let server = server(": hello\n\n")
    let (connection, pushes, first, second) = both(of: server)
    #expect(await one.next(1) == ["connected"])
    pushes.remove(first)
    pushes.received(nil)
    #expect(await two.next(2) == ["connected", "push to any"])
    pushes.remove(second)
    pushes.listen(pushes.add(one.taker), connection.session, account: 0)
    #expect(await one.next(1) == ["connected"])
    #expect(server.paths == ["/_brume/stream", "/_brume/stream"])
  }

  @Test func `a stream that waits to try again does so when an engine has reached the server`()
    async
  {
    let answers = Mutex(0)
    let server = AnsweringServer { _ in
      if answers.withLock({
        $0 += 1; return $0
      }) == 2 {
        return (200, ": hello\n\n")
      }
      throw CallFailure.connectionFailed("away")
    }
    let (waits, sink) = AsyncStream<Void>.makeStream()
    let connection = server.container(pauses: { sink.yield() }).connection
    let pushes = connection.enginePushes
    let taker = pushes.add(one.taker)
    pushes.listen(taker, connection.session, account: 0)
    // The pause has no end.
    for await _ in waits.prefix(1) {}
    pushes.reached(taker, connection.session, account: 0)
    #expect(await one.next(1) == ["connected"])
    pushes.reached(taker, connection.session, account: 0)
    #expect(server.paths == ["/_brume/stream", "/_brume/stream"])
  }

  @Test func `a stream goes on where the one before was, though nothing is kept on a disk`() async {
    let targets = Mutex<[String]>([])
    let other = Self.push.replacing("\"n\"", with: "\"m\"")
    let server = AnsweringServer { call in
      targets.withLock { $0.append(call.target) }
      return (200, "id: 1-7\ndata: \(Self.push)\n\nid: 1-8\ndata: \(other)\n\n")
    }
    let connection = server.container().connection
    let pushes = connection.enginePushes
    let taker = pushes.add(one.taker)
    pushes.listen(taker, connection.session, account: 0)
    // When the second has come, the first counts as handled.
    #expect(await one.next(3) == ["connected", "push to s", "push to s"])
    pushes.remove(taker)
    pushes.listen(pushes.add(two.taker), connection.session, account: 0)
    #expect(await two.next(1) == ["connected"])
    #expect(targets.withLock { $0.map { $0.contains("cursor=1-") } } == [false, true])
  }

  @Test func `an engine that has ended opens no stream`() {
    let server = server(": hello\n\n")
    let connection = server.container().connection
    let pushes = connection.enginePushes
    let taker = pushes.add(one.taker)
    pushes.remove(taker)
    pushes.listen(taker, connection.session, account: 0)
    #expect(!pushes.isListening)
  }

  @Test func `another account has another stream`() async {
    let server = server(": hello\n\n")
    let (connection, pushes, first, second) = both(of: server)
    #expect(await one.next(1) == ["connected"])
    pushes.accountChanged(to: 1)
    pushes.listen(second, connection.session, account: 1)
    #expect(await one.next(1) == ["connected"])
    // The other engine is notified of the change later: nothing ends for it.
    pushes.accountChanged(to: 1)
    pushes.listen(first, connection.session, account: 1)
    #expect(await one.next(1) == ["connected"])
    #expect(server.paths == ["/_brume/stream", "/_brume/stream"])
  }

  @Test func `what a loop of the app receives, engines are notified of`() async {
    let server = server(": hello\n\n", "id: 1\ndata: \(Self.push)\n\n")
    let container = server.container()
    let connection = container.connection
    let pushes = connection.enginePushes
    pushes.listen(pushes.add(one.taker), connection.session, account: 0)
    #expect(await one.next(1) == ["connected"])
    for await _ in Brume.remoteNotifications(for: container) { break }
    #expect(await one.next(1) == ["push to s"])
  }

  @Test func `a refusal for good ends it, and who listens next asks again`() async {
    let server = AnsweringServer { _ in
      (400, #"{"serverErrorCode":"BAD_REQUEST","reason":"no","uuid":"u"}"#)
    }
    let connection = server.container().connection
    let pushes = connection.enginePushes
    let taker = pushes.add(one.taker)
    pushes.listen(taker, connection.session, account: 0)
    #expect(await one.next(1) == ["ended"])
    pushes.listen(taker, connection.session, account: 0)
    #expect(await one.next(1) == ["ended"])
    #expect(server.paths.count == 2)
  }
}
