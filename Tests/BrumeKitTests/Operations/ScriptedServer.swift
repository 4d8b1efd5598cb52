// A server that answers what a test says, in the protocol's own words, without a socket.

import BrumeClient
import BrumeModel
import BrumeWire
import Foundation
import Synchronization

@testable import BrumeKit

/// Answers each request with what the script says for it.
final class ScriptedServer: Transport {
  struct Request: Sendable {
    /// The last two parts of the path, such as `records/modify`.
    let action: String
    let body: JSON?
  }
  typealias Script = @Sendable (Request, Int) async throws -> [UInt8]

  private let script: Script
  private let now: @Sendable () -> Date
  private let log = Mutex<[Request]>([])
  private let waits = Mutex<[Duration]>([])

  /// - Parameter now: the clients' clock.
  init(now: @escaping @Sendable () -> Date = { Date() }, _ script: @escaping Script) {
    self.script = script
    self.now = now
  }

  /// What was asked, without the questions for the current user.
  var requests: [Request] { log.withLock { $0 } }
  /// How long the client wanted to wait between requests. Nobody waits.
  var pauses: [Duration] { waits.withLock { $0 } }

  func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    let path = call.target.prefix { $0 != "?" }.split(separator: "/")
    let action = path.suffix(2).joined(separator: "/")
    if action == "users/caller" {
      return HTTPAnswer(status: 200, body: Wire.currentUser(UserIdentity(user: UserID("_me"))))
    }
    let request = Request(action: action, body: try? JSON(parsing: call.body))
    let number = log.withLock { log in
      log.append(request)
      return log.count - 1
    }
    do {
      return HTTPAnswer(status: 200, body: try await script(request, number))
    } catch let error as BrumeError {
      return HTTPAnswer(
        status: error.code.meaning.httpStatus, body: Wire.error(error, uuid: "scripted"))
    }
  }

  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? { nil }

  /// A container whose calls this server answers.
  var container: CKContainer {
    let configuration = Configuration(
      url: "http://scripted", in: ContainerEnvironment(ContainerID("iCloud.test"), .development),
      apiToken: "token",
      userToken: "user")
    let host = Session.Host(
      now: now, sleep: { [self] pause in waits.withLock { $0.append(pause) } })
    return CKContainer(
      connection: Connection(Session(configuration, transport: self, host: host)),
      identifier: "iCloud.test")
  }
}

/// What happened, in order.
final class Journal: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func note(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Runs an operation on a queue, and returns when it has finished.
func finish(_ operation: CKOperation) async {
  let queue = OperationQueue()
  await withCheckedContinuation { continuation in
    operation.completionBlock = { continuation.resume() }
    queue.addOperation(operation)
  }
}

/// A record as a server keeps it.
func stored(_ name: String, zone: String = "Notes", tag: String = "1") -> StoredRecord {
  let record = Record(
    name: name, zone: ZoneID(name: zone, ownerName: "_me"), type: "Note", changeTag: tag,
    fields: ["title": .string(name)])
  return StoredRecord(name: name, type: "Note", sequence: 1, content: .value(record))
}

/// What went wrong, short enough for a journal.
func code(_ error: (any Error)?) -> String {
  (error as? CKError).map { "\($0.code)" } ?? "nil"
}

/// How a result ended.
func outcome<Value>(_ result: Result<Value, any Error>) -> String {
  switch result {
  case .success: "ok"
  case .failure(let error): code(error)
  }
}
