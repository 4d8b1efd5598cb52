// The device's end of the event stream: connect, read, deliver, remember the position; again after
// every break. At least once: the position moves only when a push was delivered, so a crash in
// between repeats it. `Backoff`, `EventStreamParser` and `RecentPushes` decide; this file acts.

import BrumeModel
import BrumeWire
import Logging

/// Receives the pushes of one device.
package struct PushReceiver: Sendable {
  /// Takes one push: the dictionary that an Apple device would get, as JSON. Answers whether it
  /// was dealt with; false ends the receiving without moving the position.
  package typealias Deliver = @Sendable ([UInt8]) async -> Bool
  /// Ours: pushes between two acknowledgements beside the open stream. The server ends a stream
  /// with half a mailbox (50) unacknowledged, so this keeps one open.
  static let acknowledgedEvery = 20
  private let pushesPerAcknowledgement: Int
  private let session: Session
  private let state: DeviceState
  private let stateKey: String
  private let account: String
  private static let log = Logger(label: "brume.client")

  /// - Parameter pushes: how many lie between two acknowledgements; 1 for somebody who watches, so that
  ///   the server's log has each at once.
  /// - Throws: `notConfigured` if the session has no user or no device.
  package init(
    _ session: Session, acknowledgedEvery pushes: Int = Self.acknowledgedEvery
  ) throws(CallFailure) {
    pushesPerAcknowledgement = pushes
    let settings = try session.configuration.get()
    guard let account = settings.account else {
      throw .notConfigured(
        "pushes go to users, and no user is signed in: set BRUME_USER_TOKEN, or userToken in the "
          + "container's configuration")
    }
    guard let device = settings.deviceID else {
      throw .notConfigured("pushes need a device: set BRUME_DEVICE_ID or BRUME_STATE_DIR")
    }
    self.session = session
    self.account = account
    state = DeviceState(directory: settings.stateDirectory)
    stateKey = [
      settings.url, settings.container.name, settings.environment.rawValue, device.name,
    ].joined(separator: "-")
  }

  /// Receives until the task is cancelled, or until the server says that it never will, or not any more.
  ///
  /// - Parameters:
  ///   - cursor: how far one before has come that kept nothing on the disk; nil: as the disk says.
  ///   - moved: called with each position that is acknowledged next.
  ///   - connected: called whenever the stream stands.
  ///   - waits: called before a pause that the server has not asked for, and after each.
  ///   - mayAcknowledge: asked for each push that was delivered; no: the position stays, and another receiver of this
  ///     device moves it.
  ///   - deliver: takes one push; the next comes when it returns.
  /// - Throws: `CancellationError`; `notConfigured`, or the `BrumeError` with which the server refuses for good.
  package func run(
    after cursor: String? = nil, moved: @escaping @Sendable (String) -> Void = { _ in },
    connected: @Sendable () -> Void = {}, waits: @Sendable (Bool) -> Void = { _ in },
    mayAcknowledge: @Sendable () -> Bool = { true },
    deliver: Deliver
  ) async throws {
    var progress = Progress(
      cursor: cursor ?? state.cursor(stateKey, of: account), moved: moved)
    while true {
      try Task.checkCancellation()
      var wait: Double?
      let before = progress.cursor
      do {
        try await listen(&progress, connected, mayAcknowledge, deliver)
        // An orderly end after pushes: the server wants us back at once, to acknowledge them.
        if progress.cursor != before { continue }
      } catch let error as BrumeError where error.retryAfter == nil && !error.isTransient {
        throw error
      } catch let error as BrumeError {
        wait = error.retryAfter
      } catch let failure as CallFailure {
        if case .notConfigured = failure { throw failure }
      }
      if wait == nil { waits(true) }
      defer { waits(false) }
      try await session.host.sleep(
        progress.backoff.next(chance: session.host.chance(), atLeast: wait))
    }
  }

  private func listen(
    _ progress: inout Progress, _ connected: @Sendable () -> Void,
    _ mayAcknowledge: @Sendable () -> Bool, _ deliver: Deliver
  ) async throws {
    var query = try session.place()
    if let cursor = progress.cursor { query.append(("cursor", cursor)) }
    var call = try session.httpCall("GET", "/_brume/stream", query: query)
    call.headers.append(HTTPCall.Header("Accept", "text/event-stream"))
    var parser = EventStreamParser()
    var isFirst = true
    var unacknowledged = 0
    let refusal = try await session.transport.receive(call) { bytes in
      let events = parser.take(bytes)
      // Until then it may be a page of somebody in between.
      if parser.hasBegun {
        if isFirst { connected() }
        isFirst = false
        progress.backoff.reset()
      }
      for event in events {
        // The server says why this stream must not be opened again as it is.
        if event.name == "end" { throw Wire.error((try? JSON(parsing: event.data)) ?? .null) }
        if progress.recent.isNew(event.data), await !deliver(event.data) {
          throw CancellationError()
        }
        guard let id = event.id, id != progress.cursor, mayAcknowledge() else { continue }
        progress.cursor = id
        progress.moved(id)
        keep(id, &progress)
        unacknowledged += 1
      }
      if unacknowledged >= pushesPerAcknowledgement, let cursor = progress.cursor {
        unacknowledged = 0
        await acknowledge(cursor)
      }
    }
    if let refusal { _ = try Session.read(refusal) }
  }

  /// Where the position cannot be kept, pushes go on: after a restart some of them come again.
  private func keep(_ cursor: String, _ progress: inout Progress) {
    do {
      try state.keep(cursor: cursor, stateKey, of: account)
      progress.isKept = true
    } catch {
      if progress.isKept {
        Self.log.error(
          "The position in the pushes is not kept", metadata: ["push.error": "\(error)"])
      }
      progress.isKept = false
    }
  }

  /// Saves the server from ending the stream for want of it. If it fails, coming back acknowledges.
  private func acknowledge(_ cursor: String) async {
    guard let place = try? session.place(),
      let call = try? session.httpCall(
        "POST", "/_brume/stream/ack", query: place + [("cursor", cursor)])
    else { return }
    _ = try? await session.transport.send(call)
  }
}

/// How far a receiver is.
private struct Progress {
  var cursor: String?
  let moved: @Sendable (String) -> Void
  var recent = RecentPushes()
  var backoff = Backoff()
  /// False after a position that could not be kept: that is logged once.
  var isKept = true
}

extension BrumeError {
  /// Worth another attempt although nobody said when.
  fileprivate var isTransient: Bool {
    switch code {
    case .internalError, .throttled, .tryAgainLater, .zoneBusy: true
    default: false
    }
  }
}
