// One device's open stream on its connection: carries out `StreamProgress`.
//
// Delivered entries are written from the connection's event loop. There is no task that waits: an
// idle stream costs its socket, and a push to ten thousand of them ten thousand writes. Reading the
// mailbox is `StreamReads`' work. How the stream gets the connection, and writes to it: `StreamHandler`.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import NIOCore
import Synchronization

/// What every stream of a server uses. A class: thousands of idle streams hold on to it, and the limits
/// alone are more than a kilobyte.
final class StreamParts: Sendable {
  let hub: StreamHub
  let places: StreamPlaces
  let reads: StreamReads
  let metrics: ServerMetrics
  let now: @Sendable () -> Milliseconds
  /// The clock, if it is moved by hand; nil: it passes by itself.
  let time: ManualTime?
  let limits: Limits
  /// Seconds between two signs of life.
  let heartbeat: Int
  let generation: Int64

  init(
    hub: StreamHub, places: StreamPlaces, reads: StreamReads, metrics: ServerMetrics,
    now: @escaping @Sendable () -> Milliseconds, time: ManualTime?, limits: Limits,
    heartbeat: Int, generation: Int64
  ) {
    self.hub = hub
    self.places = places
    self.reads = reads
    self.metrics = metrics
    self.now = now
    self.time = time
    self.limits = limits
    self.heartbeat = heartbeat
    self.generation = generation
  }
}

/// Sendable because everything that changes is touched on the connection's event loop only, except
/// the atomics.
final class StreamConnection: StreamListener, @unchecked Sendable {
  let device: DeviceKey
  let place: StreamPlaces.Place
  private let channel: any NIOCore.Channel
  private let handler: StreamHandler
  private let parts: StreamParts
  /// When the user has to sign in again; nil: never.
  private let sessionEnds: Milliseconds?
  private let caughtUp = Atomic(false)
  /// Whether it is going to be looked for the device.
  private let isLooking = Atomic(false)
  private var progress: StreamProgress
  private var hasStarted = false
  private var hasEnded = false
  private var beat: Scheduled<Void>?
  private var due: (time: Milliseconds, cancel: () -> Void)?
  /// Collected while one hand-over is sorted by streams; empty otherwise.
  private var received: [MailboxEntry] = []
  /// For the answer's end to leave.
  private static let gracePeriod = TimeAmount.milliseconds(500)

  /// - Parameters:
  ///   - cursor: what the device has acknowledged.
  ///   - sessionEnds: when the stream ends too; nil: the caller has no session.
  ///   - place: what the stream has until it ends.
  init(
    device: DeviceKey, after cursor: Int64, until sessionEnds: Milliseconds?,
    on channel: any NIOCore.Channel, at place: StreamPlaces.Place, _ parts: StreamParts
  ) {
    self.device = device
    self.place = place
    self.sessionEnds = sessionEnds
    self.channel = channel
    self.parts = parts
    handler = StreamHandler()
    progress = StreamProgress(after: cursor, limits: parts.limits)
  }

  var hasCaughtUp: Bool { caughtUp.load(ordering: .relaxed) }

  // MARK: From other threads

  func take(_ entries: [MailboxEntry]) {
    channel.eventLoop.execute { self.taken(entries) }
  }

  /// Entries for many streams: each event loop gets one task.
  static func take(_ entries: [StreamHub.Entry], _ deliveries: [StreamHub.Delivery]) {
    var loops: [ObjectIdentifier: (loop: any EventLoop, places: [Place])] = [:]
    for (listener, index) in deliveries {
      guard let stream = listener as? StreamConnection else {
        listener.take([entries[index].entry])
        continue
      }
      let loop = stream.channel.eventLoop
      loops[ObjectIdentifier(loop), default: (loop, [])].places.append((stream, index))
    }
    for (loop, places) in loops.values { loop.execute { takeTogether(entries, places) } }
  }

  /// An entry's place among those that are handed over together.
  private typealias Place = (stream: StreamConnection, index: Int)

  /// What came for one stream leaves in one write: most of a push's cost is the system call.
  private static func takeTogether(_ entries: [StreamHub.Entry], _ places: [Place]) {
    var streams: [StreamConnection] = []
    streams.reserveCapacity(places.count)
    for (stream, index) in places {
      if stream.received.isEmpty { streams.append(stream) }
      stream.received.append(entries[index].entry)
    }
    for stream in streams {
      let entries = stream.received
      stream.received = []
      stream.taken(entries)
    }
  }

  func look() { perform { $0.mayHaveMore() } }

  func acknowledged(through position: Int64) {
    perform {
      $0.acknowledged(through: position)
      return []
    }
  }

  func found(_ entries: [MailboxEntry], nextDue: Milliseconds?, isAll: Bool) {
    perform { $0.found(entries, nextDue: nextDue, isAll: isAll) }
  }

  func lookForDevice() {
    if isLooking.exchange(true, ordering: .relaxed) { return }
    parts.reads.lookForDevice(of: self)
  }

  /// It is looked for the device now: a hint that comes from here on needs another look.
  func lookBegins() { isLooking.store(false, ordering: .sequentiallyConsistent) }

  func end(because error: BrumeError?) {
    channel.eventLoop.execute { self.finish(because: error) }
  }

  private func perform(
    _ step: @escaping @Sendable (inout StreamProgress) -> [StreamProgress.Action]
  ) {
    channel.eventLoop.execute { self.advance(step) }
  }
}

// MARK: On the event loop

extension StreamConnection {
  /// Takes the connection and begins to serve. To be called when the head of the answer is written; throw
  /// `StreamHandler.TakenOver` next.
  ///
  /// - Throws: what NIO throws if the connection is not as it was, such as closed.
  func takeOver() async throws {
    try await channel.eventLoop.submit {
      try self.handler.moveIn(to: self.channel, for: self)
      self.start()
    }.get()
  }

  private func start() {
    hasStarted = true
    parts.hub.join(self, as: device)
    parts.metrics.streamOpened()
    advance { $0.started() }
  }

  private var isOver: Bool { sessionEnds.map { parts.now() >= $0 } ?? false }

  private func taken(_ entries: [MailboxEntry]) {
    advance { $0.committed(entries, now: parts.now(), hasRoom: channel.isWritable) }
  }

  private func advance(_ step: (inout StreamProgress) -> [StreamProgress.Action]) {
    if hasEnded { return }
    if isOver { return finish() }
    carryOut(step(&progress))
    let (before, now) = (hasCaughtUp, !hasEnded && progress.hasCaughtUp)
    caughtUp.store(now, ordering: .relaxed)
    if now != before { parts.hub.caughtUpChanged(of: device) }
  }

  private func carryOut(_ actions: [StreamProgress.Action]) {
    for action in actions {
      switch action {
      case .send(let entries): send(entries)
      case .read(let position): parts.reads.read(after: position, for: self)
      case .readWhenDrained(let position): breakSilence { self.readAgain(after: position) }
      case .wake(let time): wake(at: time)
      case .end: finish()
      }
    }
    if beat == nil, !hasEnded { scheduleBeat() }
  }

  private func send(_ entries: [MailboxEntry]) {
    handler.write(
      handler.framing.events(entries, parts.generation, channel.allocator), promise: nil)
    parts.metrics.notificationsDelivered(entries.count)
  }

  private func readAgain(after position: Int64) {
    if !hasEnded { parts.reads.read(after: position, for: self) }
  }

  /// Writes what says nothing.
  ///
  /// - Parameter then: called when it, and with it everything before, has left.
  func breakSilence(then: (@Sendable () -> Void)? = nil) {
    if hasEnded { return }
    let written = then.map { _ in channel.eventLoop.makePromise(of: Void.self) }
    if let then { written?.futureResult.whenSuccess(then) }
    handler.write(handler.framing.silence, promise: written)
  }

  /// The answer's end, and the connection's.
  ///
  /// - Parameter error: what the client is answered before; nil: it may come back.
  func finish(because error: BrumeError? = nil) {
    guard leave() else { return }
    if let error {
      handler.write(handler.framing.event(StreamEvents.end(because: error)), promise: nil)
    }
    let written = channel.eventLoop.makePromise(of: Void.self)
    let close: @Sendable () -> Void = { self.handler.close() }
    written.futureResult.whenComplete { _ in close() }
    handler.write(handler.framing.end, promise: written)
    // Who does not read does not keep the connection.
    channel.eventLoop.scheduleTask(in: Self.gracePeriod, close)
  }

  /// Answers whether this is the first time.
  @discardableResult
  func leave() -> Bool {
    if hasEnded { return false }
    hasEnded = true
    caughtUp.store(false, ordering: .relaxed)
    beat?.cancel()
    due?.cancel()
    (beat, due) = (nil, nil)
    place.giveBack()
    if hasStarted {
      parts.hub.leave(self, as: device)
      parts.metrics.streamClosed()
    }
    return true
  }

  /// Silence is broken by comments, so that both sides notice a dead connection.
  private func scheduleBeat() {
    beat = channel.eventLoop.scheduleTask(in: .seconds(Int64(parts.heartbeat))) {
      if self.hasEnded { return }
      if self.isOver { return self.finish() }
      if self.channel.isWritable { self.breakSilence() }
      self.scheduleBeat()
    }
  }

  private func wake(at time: Milliseconds) {
    if let due, due.time <= time { return }
    due?.cancel()
    let cancel = parts.time.map { alarm(at: time, $0) } ?? timer(at: time)
    due = (time, cancel)
  }

  private func timer(at time: Milliseconds) -> () -> Void {
    let wait = TimeAmount.milliseconds(max(1, time - parts.now()))
    let timer = channel.eventLoop.scheduleTask(in: wait) { self.becameDue() }
    return { timer.cancel() }
  }

  private func alarm(at time: Milliseconds, _ clock: ManualTime) -> () -> Void {
    let loop = channel.eventLoop
    let id = clock.alarm(at: time, for: "a push that may be merged with the next") { hasCome in
      if hasCome { loop.execute { self.becameDue() } }
    }
    return { clock.giveUp(id) }
  }

  private func becameDue() {
    due = nil
    look()
  }
}
