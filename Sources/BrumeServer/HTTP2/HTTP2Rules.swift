// How long one connection of HTTP/2 may keep the server waiting, as a value: for its first request, between
// requests, for what it does not read, and when it is to end. What holds for each of its requests is
// `ConnectionRules`, once for each stream.
//
// This file only decides; `HTTP2Guard.swift` owns the connection and the timer.

package import BrumeModel

/// One connection's deadlines. Give it each event, and call `timeReached` at `wakeAt`.
package struct HTTP2Rules: Equatable, Sendable {
  /// Milliseconds on any clock that only rises.
  package typealias Instant = Int64

  /// What a connection may take.
  package struct Limits: Equatable, Sendable {
    package var headerMilliseconds: Int64
    package var idleMilliseconds: Int64
    package var writeMilliseconds: Int64
    /// How long a connection that was sent GOAWAY stays open, so that the client gets to read that.
    package var lingerMilliseconds: Int64
    /// A measure, which bounds nothing: a timer that comes later than this was kept waiting by the server itself.
    package var lateMilliseconds: Int64 = 250
    /// How much lost time one connection gets back in all.
    package var givenBackMilliseconds: Int64

    package init(
      headerMilliseconds: Int64 = 10_000, idleMilliseconds: Int64 = 75_000,
      writeMilliseconds: Int64 = 30_000, limits: BrumeModel.Limits = .apple
    ) {
      self.headerMilliseconds = headerMilliseconds
      self.idleMilliseconds = idleMilliseconds
      self.writeMilliseconds = writeMilliseconds
      lingerMilliseconds = limits.refusedLinger
      givenBackMilliseconds = limits.lostTimeGivenBack
    }
  }

  /// What to do with the connection now.
  package enum Action: Equatable, Sendable {
    case nothing
    /// Take no further requests (GOAWAY), and let open ones come to their end.
    case leave
    case close
  }

  private let limits: Limits
  private var firstRequestDue: Instant?
  private var idleDue: Instant?
  private var readDue: Instant?
  private var closeDue: Instant?
  private var openStreams = 0
  private var isLeaving = false
  private var givenBack: Instant = 0

  package init(limits: Limits, openedAt now: Instant) {
    self.limits = limits
    firstRequestDue = now + limits.headerMilliseconds
  }

  /// When `timeReached` must be called next; nil for never.
  package var wakeAt: Instant? {
    [firstRequestDue, idleDue, readDue, closeDue].compactMap { $0 }.min()
  }

  /// The header of a request is there as a whole.
  package mutating func streamOpened() {
    (firstRequestDue, idleDue) = (nil, nil)
    openStreams += 1
  }

  /// A request is over, or was given up.
  package mutating func streamClosed(at now: Instant) {
    openStreams = max(0, openStreams - 1)
    guard openStreams == 0 else { return }
    if isLeaving { linger(now) } else { idleDue = now + limits.idleMilliseconds }
  }

  /// The server ends.
  package mutating func shutDown(at now: Instant) -> Action {
    guard !isLeaving else { return .nothing }
    isLeaving = true
    (firstRequestDue, idleDue) = (nil, nil)
    if openStreams == 0 { linger(now) }
    return .leave
  }

  /// The other end reads, or does not.
  package mutating func writabilityChanged(isWritable: Bool, at now: Instant) {
    readDue = isWritable ? nil : (readDue ?? now + limits.writeMilliseconds)
  }

  /// What is to be done now that a deadline may have passed.
  package mutating func timeReached(_ now: Instant) -> Action {
    if giveBack(now) { return .nothing }
    if let due = [readDue, closeDue].compactMap({ $0 }).min(), due <= now { return .close }
    guard let due = [firstRequestDue, idleDue].compactMap({ $0 }).min(), due <= now else {
      return .nothing
    }
    return shutDown(at: now)
  }

  private mutating func linger(_ now: Instant) {
    closeDue = closeDue ?? now + limits.lingerMilliseconds
  }

  /// Time that a busy server lost is not the client's. Answers whether there was such time.
  private mutating func giveBack(_ now: Instant) -> Bool {
    guard let due = [firstRequestDue, readDue].compactMap({ $0 }).min(),
      now - due > limits.lateMilliseconds, givenBack < limits.givenBackMilliseconds
    else { return false }
    let lost = min(now - due, limits.givenBackMilliseconds - givenBack)
    givenBack += lost
    firstRequestDue = firstRequestDue.map { max($0, now) + lost }
    readDue = readDue.map { max($0, now) + lost }
    return true
  }
}
