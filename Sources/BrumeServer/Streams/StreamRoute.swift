// /_brume/stream: a device's mailbox, held open as server-sent events, and /_brume/stream/ack.
//
// Each event's `id` is the store's generation and the event's position; a client that comes back with
// the last one it handled (`Last-Event-ID`, or `cursor` in the query) acknowledges everything up to it
// and gets the rest. With `ack` it says the same beside the open stream. An id of another generation
// acknowledges nothing: positions began anew. Nor does one that was never given: it would take what the
// device has not received, and keep the stream silent until positions get there.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes
import ServiceLifecycle

enum StreamRoute {
  static let path = "/_brume/stream"

  static func open(_ call: Call) async throws -> Reply {
    try requireDevice(call)
    let cursor = try await position(call, call.headers[.lastEventID] ?? call.query["cursor"])
    let stream = call.server.eventStream(
      of: try await call.engine.devices.register(as: call.caller))
    try await stream.acknowledge(through: cursor)
    var reply = Reply(body: body(of: stream, after: cursor, call))
    reply.contentType = "text/event-stream"
    reply.headers[.cacheControl] = "no-store"
    reply.headers[.connection] = "close"
    // Proxies such as nginx hold answers back unless configured not to.
    reply.headers[.accelBuffering] = "no"
    return reply
  }

  private static func body(
    of stream: EventStream, after cursor: Int64, _ call: Call
  ) -> Reply.Body {
    guard let channel = call.channel else {
      return .stream { @concurrent writer in
        try await StreamRoute.write(stream, after: cursor, to: &writer, of: call)
        try await writer.finish(nil)
      }
    }
    let connection = StreamConnection(
      device: stream.device, after: cursor, on: channel, call.server)
    return .stream { @concurrent writer in
      try await writer.write(StreamEvents.greeting)
      try await connection.takeOver()
      // Who signed out before the stream had taken its place was not found there, and a connection
      // that moved while the server was asked to end did not notice.
      let isSignedIn = try? await call.isStillSignedIn()
      if isSignedIn != true || Task.isShuttingDownGracefully { connection.end() }
      throw StreamConnection.TakenOver()
    }
  }

  /// The device has handled what it names; the stream goes on.
  static func acknowledge(_ call: Call) async throws -> Reply {
    try requireDevice(call)
    guard let device = try call.caller.deviceKey(), let cursor = call.query["cursor"] else {
      throw BrumeError(
        .badRequest, "'cursor' is missing: say the id of the last event that was handled")
    }
    let position = try await position(call, cursor)
    try await call.server.eventStream(of: device).acknowledge(through: position)
    call.server.streams.acknowledged(through: position, by: device)
    return .empty
  }

  private static func requireDevice(_ call: Call) throws(BrumeError) {
    guard call.caller.device != nil else {
      throw BrumeError(
        .badRequest,
        "a stream belongs to a device; name it with the header X-Brume-Device or ?clientId=")
    }
  }

  /// What the text of an event's `id` stands for; 0 if it is of another generation or no event had it
  /// yet.
  static func position(_ call: Call, _ text: String?) async throws -> Int64 {
    guard let text else { return 0 }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let generation = parts[0], let position = parts[1] else {
      throw BrumeError(
        .badRequest, "the cursor '\(text.prefix(40))' is not one of this stream's ids")
    }
    guard generation == call.engine.generation, position > 0 else { return 0 }
    let last = try await call.server.store.read { try $0.mailboxes.lastPosition() }
    return position <= last ? position : 0
  }
}
