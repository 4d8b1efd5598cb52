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

struct StreamRoute: Sendable {
  static let path = "/_brume/stream"
  let devices: Devices
  let tokens: WebAuthTokens
  let mailboxes: MailboxSource
  /// What leaves for clients in this process.
  let source: any StreamSource
  let cursors: MailboxCursors
  let parts: StreamParts

  /// What a stream has from its begin.
  struct Opening: Sendable {
    let device: DeviceKey
    let place: StreamPlaces.Place
    /// Of the hub, before the device was registered.
    let removals: Int
  }

  func open(_ call: Call) async throws -> Reply {
    let device = try requireDevice(call)
    let opening = Opening(
      device: device, place: try place(for: device, call), removals: parts.hub.removals)
    let cursor = try await cursors.position(
      call.headers[.lastEventID] ?? call.query["cursor"], of: device)
    let stream = mailboxes.stream(
      of: try await devices.register(as: call.caller))
    try await stream.acknowledge(through: cursor)
    var reply = Reply(body: body(of: stream, after: cursor, call, opening))
    reply.contentType = "text/event-stream"
    reply.headers[.cacheControl] = "no-store"
    reply.headers[.connection] = "close"
    // Proxies such as nginx hold answers back unless configured not to.
    reply.headers[.accelBuffering] = "no"
    return reply
  }

  /// A place for a stream of the device. Where its user has no more, the oldest stream of the device ends: most likely
  /// its connection is dead, and the client is this one.
  private func place(
    for device: DeviceKey, _ call: Call
  ) throws(BrumeError) -> StreamPlaces.Place {
    let oldest = parts.hub.oldest(of: device) as? StreamConnection
    let (place, isTaken) = try parts.places.enter(
      device.user, at: call.address.name, inPlaceOf: oldest?.place)
    if isTaken { oldest?.end(because: StreamPlaces.taken) }
    return place
  }

  private func body(
    of stream: EventStream, after cursor: Int64, _ call: Call, _ opening: Opening
  ) -> Reply.Body {
    guard let channel = call.channel else {
      return .stream { @concurrent writer in
        try await write(stream, after: cursor, to: &writer, of: call, opening)
        try await writer.finish(nil)
      }
    }
    let connection = StreamConnection(
      device: stream.device, after: cursor, until: call.caller.sessionEnds, on: channel,
      at: opening.place, parts)
    return .stream { @concurrent writer in
      try await writer.write(StreamEvents.greeting)
      try await connection.takeOver()
      // Who signed out or removed the device before the stream had taken its place was not found there, and a
      // connection that moved while the server was asked to end did not notice.
      if parts.hub.removals != opening.removals { connection.lookForDevice() }
      let isSignedIn = try? await isStillSignedIn(call)
      if isSignedIn != true || Task.isShuttingDownGracefully { connection.end(because: nil) }
      throw StreamHandler.TakenOver()
    }
  }

  /// The device has handled what it names; the stream goes on.
  func acknowledge(_ call: Call) async throws -> Reply {
    let device = try requireDevice(call)
    guard let cursor = call.query["cursor"] else {
      throw BrumeError(
        .badRequest, "'cursor' is missing: say the id of the last event that was handled")
    }
    let position = try await cursors.position(cursor, of: device)
    try await mailboxes.stream(of: device).acknowledge(through: position)
    parts.hub.acknowledged(through: position, by: device)
    return .empty
  }

  private func requireDevice(_ call: Call) throws(BrumeError) -> DeviceKey {
    guard let device = try call.caller.deviceKey() else {
      throw BrumeError(
        .badRequest,
        "a stream belongs to a device; name it with the header X-Brume-Device or ?clientId=")
    }
    return device
  }

  /// Whether the user has not signed out, and nobody has revoked the API token, since the request began.
  func isStillSignedIn(_ call: Call) async throws -> Bool {
    try await tokens.isSignedIn(
      by: call.headers.webAuthToken(or: call.query) ?? "", with: call.query["ckAPIToken"])
  }
}

extension StreamPlaces {
  /// As many as the server may have connections.
  convenience init(_ settings: Settings) {
    self.init(
      most: settings.connections, mostOfAddress: settings.connectionsPerAddress,
      mostOfUser: settings.limits.streamsPerUser)
  }
}
