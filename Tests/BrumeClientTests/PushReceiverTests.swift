import BrumeModel
import Foundation
import Synchronization
import Testing

@testable import BrumeClient

struct PushReceiverTests {
  private func event(_ position: Int, _ nid: String, _ sid: String = "s") -> String {
    "id: \(position)\ndata: {\"ck\":{\"nid\":\"\(nid)\",\"fet\":{\"sid\":\"\(sid)\"}}}\n\n"
  }

  /// Runs a receiver over a script; answers the notification IDs and the cursors that it sent.
  private func receive(
    _ turns: [ScriptedTransport.Turn], directory: String? = nil, user: String = "ann",
    takes: Int = .max
  ) async throws -> (pushes: [String], cursors: [String?]) {
    let transport = ScriptedTransport(turns)
    let pushes = Mutex<[String]>([])
    let session = Session.scripted(transport) {
      $0.stateDirectory = directory
      $0.userToken = user
    }
    _ = try? await PushReceiver(session).run { payload in
      pushes.withLock { pushes in
        pushes.append(RecentPushes.key(payload) ?? "?")
        return pushes.count < takes
      }
    }
    let cursors = transport.calls.map { call in
      call.target.split(whereSeparator: { "?&".contains($0) })
        .first { $0.hasPrefix("cursor=") }.map { String($0.dropFirst(7)) }
    }
    return (pushes.withLock { $0 }, cursors)
  }

  private func temporaryDirectory() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
  }

  @Test func `pushes come in order, and a reconnect goes on behind the last`() async throws {
    let result = try await receive([
      .stream([event(1, "a"), event(2, "b")]), .stream([event(3, "c")]),
    ])
    #expect(result.pushes == ["a s", "b s", "c s"])
    #expect(result.cursors == [nil, "2", "3"])
  }

  @Test func `a long stream is acknowledged beside it, and a failure of that changes nothing`()
    async throws
  {
    let events = (1...45).map { event($0, "n\($0)") }
    let transport = ScriptedTransport([
      .stream(events), .answer(200, "{}"), .failure(.connectionFailed("x")), .stream([]),
    ])
    _ = try? await PushReceiver(Session.scripted(transport)).run { _ in true }
    let acknowledged = transport.calls.map(\.target).filter { $0.contains("/stream/ack") }
    #expect(acknowledged.count == 2)
    #expect(acknowledged.first?.contains("cursor=20") == true)
  }

  @Test func `who may not acknowledge takes pushes and leaves the position as it is`() async throws
  {
    let transport = ScriptedTransport([
      .stream((1...45).map { event($0, "n\($0)") }), .stream([event(45, "n45"), event(46, "n46")]),
    ])
    let pushes = Mutex(0)
    let receiver = try PushReceiver(Session.scripted(transport))
    _ = try? await receiver.run(mayAcknowledge: { false }) { _ in
      pushes.withLock { $0 += 1 }
      return true
    }
    #expect(pushes.withLock { $0 } == 46)
    #expect(transport.calls.count == 3)
    #expect(!transport.calls.contains { $0.target.contains("cursor=") })
  }

  @Test func `a repeated push is taken once`() async throws {
    let result = try await receive([
      .stream([event(1, "a")], breaks: true), .stream([event(1, "a"), event(2, "b")]),
    ])
    #expect(result.pushes == ["a s", "b s"])
  }

  @Test func `one change for two subscriptions is two pushes`() async throws {
    let result = try await receive([.stream([event(1, "a", "x"), event(2, "a", "y")])])
    #expect(result.pushes == ["a x", "a y"])
  }

  @Test func `pushes that were cut are one for each subscription too`() async throws {
    func cut(_ position: Int, _ sid: String) -> String {
      "id: \(position)\ndata: {\"ck\":{\"nid\":\"a\",\"p\":1,\"sid\":\"\(sid)\"}}\n\n"
    }
    let result = try await receive([.stream([cut(1, "x"), cut(2, "y"), cut(3, "x")])])
    #expect(result.pushes == ["a x", "a y"])
  }

  @Test func `the position is kept for the next run of the program`() async throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    _ = try await receive([.stream([event(1, "a"), event(2, "b")])], directory: directory)
    let second = try await receive([.stream([])], directory: directory)
    #expect(second.cursors.first == "2")
  }

  @Test func `the position of one user acknowledges nothing of the next`() async throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    _ = try await receive([.stream([event(9, "a")])], directory: directory, user: "ann")
    let bob = try await receive([.stream([event(3, "b")])], directory: directory, user: "bob")
    let again = try await receive([], directory: directory, user: "bob")
    #expect(bob.cursors.first == .some(nil) && bob.pushes == ["b s"])
    #expect(again.cursors == ["3"])
  }

  @Test func `a position that cannot be kept is held in memory, and pushes go on`() async throws {
    // A file where the folder would be.
    let place = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: place) }
    try "full".write(toFile: place, atomically: true, encoding: .utf8)
    let result = try await receive(
      [.stream([event(1, "a")]), .stream([event(2, "b")])], directory: place)
    #expect(result.pushes == ["a s", "b s"])
    #expect(result.cursors == [nil, "1", "2"])
  }

  @Test func `a page that answers is no stream: it does not stand, and the pauses grow`()
    async throws
  {
    let page = ScriptedTransport.Turn.stream(["<html>\n<body>\n\nPlease sign in\n</body>\n\n"])
    let pauses = Mutex<[Duration]>([])
    let stands = Mutex(0)
    let transport = ScriptedTransport([page, page, page])
    let session = Session.scripted(
      transport, sleep: { pause in pauses.withLock { $0.append(pause) } })
    let receiver = try PushReceiver(session)
    _ = try? await receiver.run(connected: { stands.withLock { $0 += 1 } }) { _ in true }
    #expect(pauses.withLock { $0 } == [200, 400, 800].map { .milliseconds($0) })
    #expect(stands.withLock { $0 } == 0)
  }

  @Test func `a comment is enough for a stream to stand`() async throws {
    let stands = Mutex(0)
    let receiver = try PushReceiver(
      Session.scripted(ScriptedTransport([.stream([": hello\n\n", ": here\n\n"])])))
    _ = try? await receiver.run(connected: { stands.withLock { $0 += 1 } }) { _ in true }
    #expect(stands.withLock { $0 } == 1)
  }

  @Test func `a push that was not dealt with comes again after a restart`() async throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let first = try await receive(
      [.stream([event(1, "a"), event(2, "b")])], directory: directory, takes: 2)
    let second = try await receive([.stream([event(2, "b")])], directory: directory)
    #expect(first.pushes == ["a s", "b s"])
    #expect(second.cursors.first == "1")
    #expect(second.pushes == ["b s"])
  }

  @Test func `a server that is away is asked again, after growing pauses`() async throws {
    let transport = ScriptedTransport([
      .failure(.connectionFailed("x")), .failure(.connectionFailed("x")),
      .answer(503, #"{"serverErrorCode":"TRY_AGAIN_LATER","retryAfter":5}"#),
    ])
    let pauses = Mutex<[Duration]>([])
    let session = Session.scripted(
      transport, sleep: { pause in pauses.withLock { $0.append(pause) } })
    _ = try? await PushReceiver(session).run { _ in true }
    #expect(
      pauses.withLock { $0 } == [.milliseconds(200), .milliseconds(400), .seconds(5)])
  }

  @Test func `a refusal that will not change ends the receiving with its reason`() async throws {
    let transport = ScriptedTransport([
      .answer(401, #"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"unknown token"}"#)
    ])
    let receiver = try PushReceiver(Session.scripted(transport))
    await #expect(throws: BrumeError(.authenticationFailed, "unknown token")) {
      try await receiver.run { _ in true }
    }
  }

  private static func end(_ error: String) -> String { "event: end\ndata: \(error)\n\n" }

  @Test func `an end that says why ends the receiving, after the pushes before it`() async throws {
    let removed = #"{"serverErrorCode":"NOT_FOUND","reason":"this device was removed"}"#
    let transport = ScriptedTransport([
      .stream([event(1, "a"), Self.end(removed)]), .stream([event(2, "b")]),
    ])
    let receiver = try PushReceiver(Session.scripted(transport))
    let pushes = Mutex<[String?]>([])
    await #expect(throws: BrumeError(.notFound, "this device was removed")) {
      try await receiver.run { payload in
        pushes.withLock { $0.append(RecentPushes.key(payload)) }
        return true
      }
    }
    #expect(pushes.withLock { $0 } == ["a s"])
    #expect(transport.calls.count == 1)
  }

  @Test func `an end that names a pause is waited out, also after pushes`() async throws {
    let taken = #"{"serverErrorCode":"THROTTLED","reason":"a newer stream","retryAfter":30}"#
    let transport = ScriptedTransport([
      .stream([event(1, "a"), Self.end(taken)]), .stream([event(2, "b")]),
    ])
    let pauses = Mutex<[Duration]>([])
    let session = Session.scripted(
      transport, sleep: { pause in pauses.withLock { $0.append(pause) } })
    _ = try? await PushReceiver(session).run { _ in true }
    #expect(pauses.withLock { $0.first } == .seconds(30))
    #expect(transport.calls.last?.target.contains("cursor=2") == true)
  }

  @Test func `without a user there is nobody to push to`() {
    let session = Session.scripted(ScriptedTransport([]), { $0.userToken = nil })
    #expect(throws: CallFailure.self) { try PushReceiver(session) }
  }

  @Test func `a device keeps the name that it was given`() throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let state = DeviceState(directory: directory)
    #expect(try state.deviceID { "first" } == DeviceID("first"))
    #expect(try state.deviceID { "second" } == DeviceID("first"))
  }

  @Test func `programs that begin together in one directory are one device`() throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let state = DeviceState(directory: directory)
    let id = try state.deviceID {
      // It has looked, and another one is faster.
      _ = try? state.deviceID { "theirs" }
      return "ours"
    }
    #expect(id == DeviceID("theirs"))
    #expect(try state.deviceID { "later" } == DeviceID("theirs"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["device"])
  }

  @Test func `an empty file names no device`() throws {
    let directory = temporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: "\(directory)/device", contents: Data()))
    let state = DeviceState(directory: directory)
    #expect(try state.deviceID { "first" } == DeviceID("first"))
    #expect(try state.deviceID { "second" } == DeviceID("first"))
  }
}
