// How long one connection may keep the server waiting, as a value: first header, request bodies,
// unread answers, the end after a refusal; and how long it may keep the server busy. Also, whose turn it is to speak:
// a refusal and `100 Continue` wait until the answers to earlier requests have been written.
//
// This file only decides; `ConnectionGuard.swift` owns the socket and the timer. Between requests the
// web framework's idle timeout rules. Why all this: a client that sends a byte a second would
// otherwise hold a connection for ever.

package import BrumeModel

/// One connection's deadlines. Give it each event, and call `timeReached` at `wakeAt`.
package struct ConnectionRules: Equatable, Sendable {
  /// Milliseconds on any clock that only rises.
  package typealias Instant = Int64

  /// What a connection may take.
  package struct Limits: Equatable, Sendable {
    /// How long the header of a request may take.
    package var headerMilliseconds: Int64
    /// A body must bring `bodyBytes` in each window of this length.
    package var bodyWindowMilliseconds: Int64
    package var bodyBytes: Int
    /// How long a client may take nothing of what is sent.
    package var writeMilliseconds: Int64
    /// From a request's header to its answer.
    package var requestMilliseconds: Int64
    /// How long a refused client may send nothing of the rest of its body, which is read so that it gets to read the refusal.
    package var lingerMilliseconds: Int64
    /// So much of such a rest is read.
    package var lingerBytes: Int
    /// A measure, which bounds nothing: a timer that comes later than this was kept waiting by the server itself.
    package var lateMilliseconds: Int64 = 250
    /// How much lost time one connection gets back in all.
    package var givenBackMilliseconds: Int64
    /// Of a request's target; longer ones are refused.
    package var targetBytes: Int

    /// Ours: in bodies of the largest size. Files are larger, and have addresses of their own.
    private static let lingerBodies = 4

    /// - Parameter bodySeconds: over how long a body must bring 1 KB a second.
    package init(
      headerMilliseconds: Int64 = 10_000, bodySeconds: Int = 10, writeMilliseconds: Int64 = 30_000,
      requestMilliseconds: Int64 = 60_000, limits: BrumeModel.Limits = .apple
    ) {
      lingerMilliseconds = limits.refusedLinger
      lingerBytes = Self.lingerBodies * limits.requestBodyBytes
      givenBackMilliseconds = limits.lostTimeGivenBack
      targetBytes = limits.requestTargetBytes
      self.requestMilliseconds = requestMilliseconds
      self.headerMilliseconds = headerMilliseconds
      self.writeMilliseconds = writeMilliseconds
      bodyWindowMilliseconds = Int64(bodySeconds) * 1000
      bodyBytes = bodySeconds * 1024
    }
  }

  /// What to do with a request's head.
  package enum Verdict: Equatable, Sendable {
    case accept
    /// Answer with this status, hand nothing on, close.
    case refuse(status: Int)
  }

  /// What a head waits for before it sends its body (RFC 9110, 10.1.1).
  package enum Expectation: Equatable, Sendable {
    case nothing
    case goAhead
    /// What this server does not know.
    case another

    /// - Parameter field: the value of `Expect`.
    package init(_ field: String?) {
      switch field?.lowercased() {
      case nil: self = .nothing
      case "100-continue": self = .goAhead
      default: self = .another
      }
    }
  }

  /// What to do with bytes that are no HTTP.
  package enum Malformed: Equatable, Sendable {
    /// Give the error to whoever reads the body: the answer to its request is still to come.
    case handOn
    /// Answer 400, as soon as `mayRefuse`.
    case refuse
  }

  /// What to do when a time has come.
  package enum Passed: Equatable, Sendable {
    case wait
    case close
    /// Answer with this status, then close: 408 says that no request was taken in, so that a client
    /// whose request was on its way may send it again (RFC 9110, 15.5.9).
    case refuse(status: Int)
  }

  private let limits: Limits
  private var firstHeadDue: Instant?
  private var bodyWindowEnd: Instant?
  private var bodyBytesInWindow = 0
  private var readDue: Instant?
  private var closeDue: Instant?
  private var requestDue: Instant?
  private var isReadingBody = false
  private var openRequests = 0
  private var closesAfterAnswer = false
  /// Whether the answer that ends the connection was written: those to requests that came with its request are not.
  package private(set) var answersNoMore = false
  /// Whether the connection is to end when what was written has left.
  private var endsWhenSent = false
  /// Whether the client said that the request that came last is its last one (`Connection: close`).
  private(set) var isLast = false
  /// What came of a body after the answer that ends the connection, in all and when that was looked at last.
  private var lingered = 0
  private var lingeredBefore = 0
  /// Answers that were written and have not left, and when the next has to have left.
  private var unsent = 0
  private var sendDue: Instant?
  /// Since when nobody asks for more of a body; nil: somebody does.
  private var pausedAt: Instant?
  /// Whether the client waits with the last request's body until it gets `100 Continue`.
  private var owesGoAhead = false
  private var givenBack: Instant = 0

  package init(limits: Limits, openedAt now: Instant) {
    self.limits = limits
    firstHeadDue = now + limits.headerMilliseconds
  }

  /// When `timeReached` must be called next; nil for never.
  package var wakeAt: Instant? {
    Self.earliest(
      Self.earliest(firstHeadDue, Self.earliest(bodyWindowEnd, sendDue)),
      Self.earliest(Self.earliest(readDue, closeDue), requestDue))
  }

  /// The head of a request is there. `refuse` answers with that status, as soon as `mayRefuse`, and ends the connection.
  ///
  /// - Parameters:
  ///   - hasKnownCoding: whether the body comes as it is, or in chunks and in no other coding.
  ///   - isLast: whether the client wants the connection to end with its answer.
  package mutating func headReceived(
    hostCount: Int, isHostAllowed: Bool = true, targetBytes: Int, hasKnownCoding: Bool = true,
    expects: Expectation = .nothing, isLast: Bool = false, at now: Instant
  ) -> Verdict {
    firstHeadDue = nil
    guard hostCount == 1 else { return .refuse(status: 400) }
    guard isHostAllowed else { return .refuse(status: 403) }
    guard targetBytes <= limits.targetBytes else { return .refuse(status: 414) }
    guard hasKnownCoding else { return .refuse(status: 501) }
    guard expects != .another else { return .refuse(status: 417) }
    openRequests += 1
    if openRequests == 1 { requestDue = now + limits.requestMilliseconds }
    isReadingBody = true
    self.isLast = isLast
    owesGoAhead = expects == .goAhead
    restartWindow(now)
    return .accept
  }

  /// What comes is no HTTP, and nothing more can be read.
  package mutating func malformed() -> Malformed {
    firstHeadDue = nil
    return isReadingBody && openRequests > 0 ? .handOn : .refuse
  }

  /// Whether a refusal may be written: it is the last answer, those to earlier requests come first, and none comes after
  /// one that ends the connection.
  package var mayRefuse: Bool { openRequests == 0 && !closesAfterAnswer }

  /// Answers, once, whether `100 Continue` is to be sent now. It is not while an earlier answer is being written, nor
  /// when the body comes by itself or the answer is there without it.
  package mutating func takeGoAhead() -> Bool {
    guard owesGoAhead, openRequests == 1, !closesAfterAnswer else { return false }
    owesGoAhead = false
    return true
  }

  /// A part of a request's body is there.
  package mutating func bodyReceived(bytes: Int) {
    bodyBytesInWindow += bytes
    owesGoAhead = false
    if closeDue != nil { lingered += bytes }
  }

  /// What was asked for has come. Until more is, the rest of a body waits on us, not on the client.
  package mutating func readEnded(at now: @autoclosure () -> Instant) {
    if isReadingBody, pausedAt == nil { pausedAt = now() }
  }

  /// More is asked for.
  package mutating func readBegan(at now: @autoclosure () -> Instant) {
    guard let since = pausedAt else { return }
    pausedAt = nil
    let passed = now() - since
    bodyWindowEnd = bodyWindowEnd.map { $0 + passed }
  }

  /// A request is there as a whole.
  package mutating func endReceived() {
    isReadingBody = false
    owesGoAhead = false
    (bodyWindowEnd, pausedAt) = (nil, nil)
  }

  /// Whether what comes now is nobody's: behind the last request, or behind one whose answer ends the connection
  /// (RFC 9112, 9.6).
  package var takesNoMore: Bool {
    (isLast || closesAfterAnswer || endsWhenSent) && !isReadingBody
  }

  /// Whether the answer that begins now is to the last request.
  package var answersLast: Bool { isLast && openRequests <= 1 }

  /// Whether all that is to be sent has left: the answer to the last request, which has come as a whole, or what was
  /// written when the end was asked for.
  package var isOver: Bool {
    unsent == 0 && (endsWhenSent || isLast && !isReadingBody && openRequests == 0)
  }

  /// Somebody wants the connection to end. Answers whether that waits until what was written has left; `isOver` says when.
  package mutating func endAsked() -> Bool {
    endsWhenSent = unsent > 0
    return endsWhenSent
  }

  /// The head of an answer goes out; `closes` says that it announces the connection's end.
  package mutating func answerBegan(closes: Bool) {
    if openRequests <= 1 { owesGoAhead = false }
    if closes { closesAfterAnswer = true }
  }

  /// An answer was written as a whole.
  package mutating func answerEnded(at now: Instant) {
    openRequests = max(0, openRequests - 1)
    requestDue = openRequests > 0 ? now + limits.requestMilliseconds : nil
    if closesAfterAnswer {
      if !answersNoMore { closeDue = now + limits.lingerMilliseconds }
      answersNoMore = true
    } else if isReadingBody {
      restartWindow(now)
    }
  }

  /// An answer was handed on as a whole, and is to leave. Until it has, the end of the connection would cut it off.
  package mutating func sendingBegan(at now: Instant) {
    unsent += 1
    closeDue = nil
    sendDue = sendDue ?? now + limits.writeMilliseconds
  }

  /// It has left, or never will.
  package mutating func sendingEnded(at now: Instant) {
    unsent = max(0, unsent - 1)
    sendDue = unsent > 0 ? now + limits.writeMilliseconds : nil
    if unsent == 0, closesAfterAnswer { closeDue = now + limits.lingerMilliseconds }
  }

  /// The other end reads, or does not.
  package mutating func writabilityChanged(isWritable: Bool, at now: Instant) {
    readDue = isWritable ? nil : (readDue ?? now + limits.writeMilliseconds)
  }

  /// Answers whether the request that is worked on has had its time, once.
  package mutating func requestIsOverdue(at now: Instant) -> Bool {
    guard let due = requestDue, due <= now else { return false }
    requestDue = nil
    return true
  }

  /// What is to be done now that a deadline may have passed.
  package mutating func timeReached(_ now: Instant) -> Passed {
    if giveBack(now) { return .wait }
    if let due = firstHeadDue, due <= now {
      firstHeadDue = nil
      return .refuse(status: 408)
    }
    if let due = Self.earliest(readDue, sendDue), due <= now { return .close }
    if let due = closeDue, due <= now, !lingersOn(now) { return .close }
    guard let end = bodyWindowEnd, end <= now else { return .wait }
    // While an earlier request is answered, or nobody asks for more, the rest waits on us, not on the client.
    let isTooSlow =
      openRequests <= 1 && pausedAt == nil && bodyBytesInWindow < limits.bodyBytes
    restartWindow(now)
    return isTooSlow ? .close : .wait
  }

  /// Many a client sends its whole body before it reads: it would get to see a broken connection in place of its answer.
  private mutating func lingersOn(_ now: Instant) -> Bool {
    guard isReadingBody, lingered > lingeredBefore, lingered < limits.lingerBytes
    else { return false }
    lingeredBefore = lingered
    closeDue = now + limits.lingerMilliseconds
    return true
  }

  /// Time that a busy server lost is not the client's: what it sent meanwhile is read before anything
  /// is decided. Answers whether there was such time.
  private mutating func giveBack(_ now: Instant) -> Bool {
    let ofClient = Self.earliest(
      Self.earliest(firstHeadDue, bodyWindowEnd), Self.earliest(readDue, sendDue))
    guard let due = ofClient,
      now - due > limits.lateMilliseconds, givenBack < limits.givenBackMilliseconds
    else { return false }
    let lost = min(now - due, limits.givenBackMilliseconds - givenBack)
    givenBack += lost
    firstHeadDue = firstHeadDue.map { max($0, now) + lost }
    bodyWindowEnd = bodyWindowEnd.map { max($0, now) + lost }
    readDue = readDue.map { max($0, now) + lost }
    sendDue = sendDue.map { max($0, now) + lost }
    return true
  }

  /// The earlier of two instants, of which any may be missing. Asked several times for each request, so it makes no
  /// array.
  private static func earliest(_ a: Instant?, _ b: Instant?) -> Instant? {
    guard let a, let b else { return a ?? b }
    return min(a, b)
  }

  private mutating func restartWindow(_ now: Instant) {
    bodyWindowEnd = now + limits.bodyWindowMilliseconds
    bodyBytesInWindow = 0
    if pausedAt != nil { pausedAt = now }
  }
}
