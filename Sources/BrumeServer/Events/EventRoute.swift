// The console's event stream: server-sent events that name what changed. It ends when its operator is signed out,
// removed or gets another role, and with the server.

import BrumeCore
import BrumeModel
import HTTPTypes
import HummingbirdCore
import NIOCore
import ServiceLifecycle

struct EventRoute: Sendable {
  let events: ConsoleEvents
  let authentication: OperatorAuthentication
  let isDevelopment: Bool
  /// Ours: what comes within it is sent together, so that a busy server does not have pages ask all the time.
  private static let pause = Duration.seconds(1)

  func open(_ call: Call) async throws -> Reply {
    guard let access = call.caller.access else {
      throw BrumeError(.authenticationFailed, "the events are for operators")
    }
    let listener = try events.listen()
    var reply = Reply(headers: [.cacheControl: "no-store"], body: .bytes([]))
    reply.contentType = "text/event-stream"
    // Proxies such as nginx hold answers back unless configured not to.
    reply.headers[.accelBuffering] = "no"
    reply.body = .stream { @concurrent writer in
      // Nobody else has it: each event is written before the next is made, all in this closure.
      nonisolated(unsafe) var out = writer
      try await out.write(ByteBuffer(string: ": what changed on this server\n\n"))
      try await withGracefulShutdownHandler {
        try await listener.follow { found in
          guard try await isStillValid(access) else { return false }
          try await out.write(ByteBuffer(string: Self.text(found)))
          if !found.isEmpty { try await Task.sleep(for: Self.pause) }
          return true
        }
      } onGracefulShutdown: {
        listener.finish()
      }
      writer = out
      try await writer.finish(nil)
    }
    return reply
  }

  private func isStillValid(_ access: OperatorAccess) async throws -> Bool {
    try await authentication.isStillValid(access, inDevelopment: isDevelopment)
  }

  /// A comment, if there is nothing to send.
  private static func text(_ events: Set<ConsoleEvent>) -> String {
    guard !events.isEmpty else { return ":\n\n" }
    let names = ConsoleEvent.allCases.filter { events.contains($0) }.map(\.rawValue)
    return "event: changed\ndata: \(names.joined(separator: " "))\n\n"
  }
}
