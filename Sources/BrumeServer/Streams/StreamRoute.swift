// /_brume/stream: a device's mailbox, held open as server-sent events.
//
// Each event's `id` is the store's generation and the event's position; a client that comes back with
// the last one it handled (`Last-Event-ID`, or `cursor` in the query) acknowledges everything up to it
// and gets the rest. An id of another generation acknowledges nothing: positions began anew.
// Silence is broken by comments, so that both sides notice a dead connection.

import BrumeCore
import BrumeModel
import BrumePush
import BrumeStorage
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

enum StreamRoute {
  static func open(_ call: Call) async throws -> Reply {
    guard call.caller.device != nil else {
      throw BrumeError(
        .badRequest,
        "a stream belongs to a device; name it with the header X-Brume-Device or ?clientId=")
    }
    let cursor = try position(call)
    let server = call.server
    let stream = EventStream(
      store: server.store, signals: server.signals,
      device: try await call.engine.registerDevice(as: call.caller),
      limits: server.settings.limits, host: server.host)
    try await stream.acknowledge(through: cursor)
    var reply = Reply(
      body: .stream { @concurrent writer in
        server.metrics.streamOpened()
        defer { server.metrics.streamClosed() }
        try await StreamRoute.write(stream, after: cursor, to: &writer, of: server)
        try await writer.finish(nil)
      })
    reply.contentType = "text/event-stream"
    reply.headers[.cacheControl] = "no-store"
    // Proxies such as nginx hold answers back unless told not to.
    reply.headers[.accelBuffering] = "no"
    return reply
  }

  private static func position(_ call: Call) throws -> Int64 {
    guard let text = call.headers[.lastEventID] ?? call.query["cursor"] else { return 0 }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard parts.count == 2, let generation = parts[0], let position = parts[1] else {
      throw BrumeError(
        .badRequest, "the cursor '\(text.prefix(40))' is not one of this stream's ids")
    }
    return generation == call.engine.generation ? position : 0
  }

  /// Returns when the server ends or the client has to come back; throws when the client has gone.
  @concurrent private static func write(
    _ stream: EventStream, after cursor: Int64, to writer: inout any ResponseBodyWriter,
    of server: Composition
  ) async throws {
    try await writer.write(ByteBuffer(string: "retry: 1000\n: connected\n\n"))
    let heartbeat = Duration.seconds(server.settings.timeouts.heartbeat)
    let batches = stream.batches(after: cursor, heartbeat: heartbeat)
    let generation = server.engine.generation
    for try await batch in batches.cancelOnGracefulShutdown() {
      let entries = try await server.faultless(batch, to: stream.device)
      try await writer.write(
        entries.isEmpty ? ByteBuffer(string: ":\n\n") : events(entries, generation))
      server.metrics.notificationsDelivered(entries.count)
    }
  }

  private static func events(_ entries: [MailboxEntry], _ generation: Int64) -> ByteBuffer {
    var buffer = ByteBuffer()
    for entry in entries {
      buffer.writeString("id: \(generation)-\(entry.position)\ndata: ")
      buffer.writeBytes(entry.payload)
      buffer.writeString("\n\n")
    }
    return buffer
  }
}
