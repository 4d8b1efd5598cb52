// /_brume/stream: a device's mailbox, held open as server-sent events, and /_brume/stream/ack.
//
// Each event's `id` is the store's generation and the event's position; a client that comes back with
// the last one it handled (`Last-Event-ID`, or `cursor` in the query) acknowledges everything up to it
// and gets the rest. With `ack` it says the same beside the open stream. An id of another generation
// acknowledges nothing: positions began anew.

import BrumeCore
import BrumeModel
import BrumePush
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
    let cursor = try position(call, call.headers[.lastEventID] ?? call.query["cursor"])
    let server = call.server
    let stream = EventStream(
      engine: server.engine, store: server.store, signals: server.signals,
      device: try await call.engine.registerDevice(as: call.caller), host: server.host)
    try await stream.acknowledge(through: cursor)
    var reply = Reply(body: body(of: stream, after: cursor, call))
    reply.contentType = "text/event-stream"
    reply.headers[.cacheControl] = "no-store"
    // Proxies such as nginx hold answers back unless told not to.
    reply.headers[.accelBuffering] = "no"
    return reply
  }

  private static func body(
    of stream: EventStream, after cursor: Int64, _ call: Call
  ) -> Reply.Body {
    let server = call.server
    guard let channel = call.channel else {
      return .stream { @concurrent writer in
        try await StreamRoute.write(stream, after: cursor, to: &writer, of: call)
        try await writer.finish(nil)
      }
    }
    let metrics = server.metrics
    let connection = StreamConnection(
      channel: channel, progress: StreamProgress(after: cursor, limits: server.settings.limits),
      generation: server.engine.generation,
      heartbeat: .seconds(Int64(server.settings.timeouts.heartbeat)), now: server.host.now,
      delivered: { metrics.notificationsDelivered($0) })
    return .stream { @concurrent writer in
      try await writer.write(StreamEvents.greeting)
      try await StreamRoute.serve(connection, stream, channel, call)
      try await writer.finish(nil)
    }
  }

  /// The device has handled what it names; the stream goes on.
  static func acknowledge(_ call: Call) async throws -> Reply {
    try requireDevice(call)
    guard let device = try call.caller.deviceKey(), let cursor = call.query["cursor"] else {
      throw BrumeError(
        .badRequest, "'cursor' is missing: say the id of the last event that was handled")
    }
    let position = try position(call, cursor)
    let server = call.server
    let stream = EventStream(
      engine: server.engine, store: server.store, signals: server.signals, device: device,
      host: server.host)
    try await stream.acknowledge(through: position)
    server.streams.acknowledged(through: position, by: device)
    return .empty
  }

  private static func requireDevice(_ call: Call) throws(BrumeError) {
    guard call.caller.device != nil else {
      throw BrumeError(
        .badRequest,
        "a stream belongs to a device; name it with the header X-Brume-Device or ?clientId=")
    }
  }

  /// What the text of an event's `id` stands for; 0 if it is of another generation.
  static func position(_ call: Call, _ text: String?) throws -> Int64 {
    guard let text else { return 0 }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let generation = parts[0], let position = parts[1] else {
      throw BrumeError(
        .badRequest, "the cursor '\(text.prefix(40))' is not one of this stream's ids")
    }
    return generation == call.engine.generation ? position : 0
  }

  private static func read(
    _ stream: EventStream, after position: Int64, for connection: StreamConnection,
    _ server: Composition
  ) async throws {
    let (entries, nextDue, isAll) = try await stream.entries(after: position)
    let leaving = try await server.faultless(entries, to: stream.device)
    connection.found(leaving, nextDue: nextDue, isAll: isAll)
  }

  /// Returns when the server ends, the user has signed out, the client has gone or has to come back.
  @concurrent private static func serve(
    _ connection: StreamConnection, _ stream: EventStream, _ channel: any NIOCore.Channel,
    _ call: Call
  ) async throws {
    let server = call.server
    server.metrics.streamOpened()
    defer { server.metrics.streamClosed() }
    let seat = server.streams.join(connection, as: stream.device)
    defer { server.streams.leave(seat) }
    // Who signed out before the stream had its seat was not found there.
    guard try await call.isStillSignedIn() else { return }
    try await withTaskCancellationOrGracefulShutdownHandler {
      connection.start()
      while case .read(let position, let whenDrained) = await connection.next() {
        if whenDrained {
          try await channel.writeAndFlush(HTTPResponsePart.body(StreamEvents.silence))
        }
        // A task of its own, because what reading needs of memory a task keeps until it ends.
        async let reading: Void = read(stream, after: position, for: connection, server)
        try await reading
      }
    } onCancelOrGracefulShutdown: {
      connection.end()
    }
  }
}
