// One device's open stream on its connection: carries out `StreamProgress`.
//
// What is handed over is written from the connection's event loop, without a task: an idle stream
// costs its socket and one suspended request, and a push to ten thousand of them ten thousand writes.
// Only reading the mailbox is the request's own work (`StreamRoute`).

import BrumeModel
import BrumePush
import BrumeStorage
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Sendable because everything that changes is touched on the connection's event loop only, except
/// the atomic.
final class StreamConnection: StreamListener, @unchecked Sendable {
  /// What the request has to do.
  enum Work: Sendable {
    case read(after: Int64, whenDrained: Bool)
    case end
  }
  private let channel: any NIOCore.Channel
  private let generation: Int64
  private let heartbeat: TimeAmount
  private let now: @Sendable () -> Milliseconds
  private let delivered: @Sendable (Int) -> Void
  private let caughtUp = Atomic(false)

  private var progress: StreamProgress
  private var work: Work?
  private var hasEnded = false
  private var request: CheckedContinuation<Work, Never>?
  private var beat: Scheduled<Void>?
  private var due: (time: Milliseconds, timer: Scheduled<Void>)?

  init(
    channel: any NIOCore.Channel, progress: StreamProgress, generation: Int64,
    heartbeat: TimeAmount,
    now: @escaping @Sendable () -> Milliseconds, delivered: @escaping @Sendable (Int) -> Void
  ) {
    self.channel = channel
    self.progress = progress
    self.generation = generation
    self.heartbeat = heartbeat
    self.now = now
    self.delivered = delivered
  }

  var hasCaughtUp: Bool { caughtUp.load(ordering: .relaxed) }

  // MARK: From other threads

  /// Begins to serve. The head of the answer is written.
  func start() {
    channel.closeFuture.whenComplete { _ in self.end() }
    perform { $0.started() }
  }

  func take(_ entries: [MailboxEntry]) {
    channel.eventLoop.execute { self.taken(entries) }
  }

  /// Entries for many streams: each event loop is woken once.
  static func take(_ told: [StreamHub.Told]) {
    var loops: [ObjectIdentifier: (loop: any EventLoop, told: [(StreamConnection, MailboxEntry)])] =
      [:]
    for (listener, entry) in told {
      guard let stream = listener as? StreamConnection else {
        listener.take([entry])
        continue
      }
      let loop = stream.channel.eventLoop
      loops[ObjectIdentifier(loop), default: (loop, [])].told.append((stream, entry))
    }
    for (loop, told) in loops.values {
      loop.execute { for (stream, entry) in told { stream.taken([entry]) } }
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

  func end() { channel.eventLoop.execute { self.finish() } }

  /// The next thing that the request has to do.
  func next() async -> Work {
    await withCheckedContinuation { continuation in
      channel.eventLoop.execute { self.park(continuation) }
    }
  }

  private func perform(
    _ step: @escaping @Sendable (inout StreamProgress) -> [StreamProgress.Action]
  ) {
    channel.eventLoop.execute { self.advance(step) }
  }
}

// MARK: On the event loop

extension StreamConnection {
  private func taken(_ entries: [MailboxEntry]) {
    advance { $0.committed(entries, now: now(), hasRoom: channel.isWritable) }
  }

  private func advance(_ step: (inout StreamProgress) -> [StreamProgress.Action]) {
    if hasEnded { return }
    carryOut(step(&progress))
    caughtUp.store(progress.hasCaughtUp, ordering: .relaxed)
  }

  private func carryOut(_ actions: [StreamProgress.Action]) {
    for action in actions {
      switch action {
      case .send(let entries): send(entries)
      case .read(let position): hand(.read(after: position, whenDrained: false))
      case .readWhenDrained(let position): hand(.read(after: position, whenDrained: true))
      case .wake(let time): wake(at: time)
      case .end: finish()
      }
    }
    if beat == nil, !hasEnded { scheduleBeat() }
  }

  private func send(_ entries: [MailboxEntry]) {
    var buffer = channel.allocator.buffer(
      capacity: entries.reduce(0) { $0 + $1.payload.count + 64 })
    StreamEvents.append(entries, generation, to: &buffer)
    channel.writeAndFlush(HTTPResponsePart.body(buffer), promise: nil)
    delivered(entries.count)
  }

  private func hand(_ new: Work) {
    guard let request else {
      work = new
      return
    }
    self.request = nil
    request.resume(returning: new)
  }

  private func park(_ continuation: CheckedContinuation<Work, Never>) {
    if let work {
      self.work = nil
      continuation.resume(returning: work)
    } else if hasEnded {
      continuation.resume(returning: .end)
    } else {
      request = continuation
    }
  }

  private func finish() {
    if hasEnded { return }
    hasEnded = true
    caughtUp.store(false, ordering: .relaxed)
    beat?.cancel()
    due?.timer.cancel()
    (beat, due) = (nil, nil)
    hand(.end)
  }

  /// Silence is broken by comments, so that both sides notice a dead connection.
  private func scheduleBeat() {
    beat = channel.eventLoop.scheduleTask(in: heartbeat) {
      if self.hasEnded { return }
      if self.channel.isWritable {
        self.channel.writeAndFlush(
          HTTPResponsePart.body(StreamEvents.silence), promise: nil)
      }
      self.scheduleBeat()
    }
  }

  private func wake(at time: Milliseconds) {
    if let due, due.time <= time { return }
    due?.timer.cancel()
    let wait = TimeAmount.milliseconds(max(1, time - now()))
    let timer = channel.eventLoop.scheduleTask(in: wait) {
      self.due = nil
      self.look()
    }
    due = (time, timer)
  }
}
