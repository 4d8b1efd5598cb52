// The guard carries out `ConnectionRules` on a channel: one timer, no decisions. It informs the work on a
// request that its client has gone, or that its time is over.

import BrumeModel
import BrumeWire
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Sits between HTTP decoding and request handling.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let hosts: AllowedHosts
  /// Names the requests that are refused here, as the routes' middleware names all others.
  private let uuid: @Sendable () -> String
  /// What to end; nil before the connection is set up.
  var work: RequestWork?
  private let start = NIODeadline.now()
  private var rules: ConnectionRules
  private var timer: Scheduled<Void>?
  private var timerDue: ConnectionRules.Instant?
  private var isRefused = false
  /// Waits until earlier requests have their answers.
  private var refusal: Refusal?

  init(
    limits: ConnectionRules.Limits, hosts: AllowedHosts, uuid: @escaping @Sendable () -> String
  ) {
    self.hosts = hosts
    self.uuid = uuid
    rules = ConnectionRules(limits: limits, openedAt: 0)
  }

  private var now: ConnectionRules.Instant {
    (NIODeadline.now() - start).nanoseconds / 1_000_000
  }

  func handlerAdded(context: ChannelHandlerContext) { schedule(context) }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    timer = nil
    work?.end(.clientGone)
    context.fireChannelInactive()
  }

  /// Who closes one side of the connection only looks the same as who has gone, and cannot be asked.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case ChannelEvent.inputClosed = event { work?.end(.clientSilent) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused, !rules.takesNoMore else { return }
    var data = data
    switch unwrapInboundIn(data) {
    case .head(var head):
      guard accepts(head, context) else { return }
      if rules.isLast {
        // The framework would not read the body on, and the client not get to read the answer: the end is seen to here.
        head.headerFields[.connection] = nil
        data = wrapInboundOut(.head(head))
      }
    case .body(let part):
      rules.bodyReceived(bytes: part.readableBytes)
    case .end:
      rules.endReceived()
    }
    schedule(context)
    context.fireChannelRead(data)
    closeIfOver(context)
  }

  /// A client that waits for `100 Continue` sends nothing on: what has come by now is all.
  func channelReadComplete(context: ChannelHandlerContext) {
    goAhead(context)
    rules.readEnded(at: now)
    context.fireChannelReadComplete()
  }

  /// Whoever works on the request asks for no more while what has come is not taken.
  func read(context: ChannelHandlerContext) {
    rules.readBegan(at: now)
    context.read()
  }

  /// Options of a connection are a list, and their letters may be large (RFC 9110, 7.6.1).
  private static func isLast(_ head: HTTPRequest) -> Bool {
    guard let options = head.headerFields[.connection] else { return false }
    return options.split(separator: ",").contains { option in
      option.filter { $0 != " " && $0 != "\t" }.lowercased() == "close"
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError, context.channel.isActive else {
      // Of a request that is refused nothing is handed on, nor what comes behind it. Else the connection broke, or the
      // stream was reset, or what came is none of HTTP: nothing more of the request can come.
      return isRefused ? () : context.fireErrorCaught(RequestWork.ClientGone())
    }
    guard !isRefused else { return }
    switch rules.malformed() {
    case .handOn: context.fireErrorCaught(error)
    case .refuse: refuse(Refusal(of: error), context)
    }
  }

  private func accepts(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
    // The codec takes the first Host as the authority and leaves further ones among the fields.
    let count = (head.authority == nil ? 0 : 1) + head.headerFields[values: .secondHost].count
    let verdict = rules.headReceived(
      hostCount: count, isHostAllowed: hosts.allows(head.authority ?? ""),
      targetBytes: head.path?.utf8.count ?? 0,
      hasKnownCoding: Self.isKnown(coding: head.headerFields[.transferEncoding]),
      expects: ConnectionRules.Expectation(head.headerFields[.expect]), isLast: Self.isLast(head),
      at: now)
    guard case .refuse(let status) = verdict else { return true }
    refuse(Refusal(status, of: head, hosts: count), context)
    return false
  }

  /// Chunks are read by the decoder of HTTP, and nothing else is.
  private static func isKnown(coding: String?) -> Bool {
    coding.map { $0.lowercased() == "chunked" } ?? true
  }

  /// Sends `100 Continue`, if the client waits for it with its body.
  private func goAhead(_ context: ChannelHandlerContext) {
    guard !isRefused, rules.takeGoAhead() else { return }
    // An informational answer is a head alone. It does not pass this guard's `write`, which counts answers.
    context.writeAndFlush(
      wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
  }

  /// Answers instead of the routes when earlier requests have their answers, and hands nothing on from now.
  private func refuse(_ refusal: Refusal, _ context: ChannelHandlerContext) {
    isRefused = true
    self.refusal = refusal
    writeRefusal(context)
  }

  private func writeRefusal(_ context: ChannelHandlerContext) {
    guard let refusal, rules.mayRefuse else { return schedule(context) }
    self.refusal = nil
    let (head, body) = refusal.answer(uuid: uuid())
    rules.answerBegan(closes: true)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    rules.answerEnded(at: now)
    schedule(context)
  }

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    let part = unwrapOutboundIn(data)
    if rules.answersNoMore { return drop(part, promise) }
    switch part {
    case .head(var head):
      let isLast = rules.answersLast
      let closes = isLast || head.headerFields[.connection] == "close"
      rules.answerBegan(closes: closes)
      // The framework goes on with what it was given before.
      if closes { work?.beginNoMore() }
      guard isLast else { return context.write(data, promise: promise) }
      head.headerFields[.connection] = "close"
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body:
      context.write(data, promise: promise)
    case .end:
      rules.answerEnded(at: now)
      context.write(data, promise: watchSending(promise, context))
      goAhead(context)
      writeRefusal(context)
    }
  }

  /// Nothing is sent behind the answer that ends the connection.
  private func drop(_ part: HTTPResponsePart, _ promise: EventLoopPromise<Void>?) {
    if case .end = part {
      rules.answerEnded(at: now)
      work?.takeAnswer()?.giveBack()
    }
    promise?.succeed()
  }

  /// When the server ends, the framework closes a connection as soon as it has handed the last answer on. What the client
  /// has not taken by then would be lost.
  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard case .all = mode, rules.endAsked() else {
      return context.close(mode: mode, promise: promise)
    }
    context.channel.closeFuture.cascade(to: promise)
  }

  /// What is handed on is not sent: over HTTP/2 a client may allow nothing, and what waits for it makes nothing
  /// unwritable while it is small.
  private func watchSending(
    _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
  ) -> EventLoopPromise<Void> {
    rules.sendingBegan(at: now)
    let answer = work?.takeAnswer()
    let sent = promise ?? context.eventLoop.makePromise(of: Void.self)
    let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    sent.futureResult.whenComplete { _ in
      answer?.giveBack()
      let (handler, context) = box.value
      handler.rules.sendingEnded(at: handler.now)
      if context.channel.isActive { handler.schedule(context) }
      handler.closeIfOver(context)
    }
    return sent
  }

  /// Closes after the client's last request.
  private func closeIfOver(_ context: ChannelHandlerContext) {
    if rules.isOver { context.close(promise: nil) }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    rules.writabilityChanged(isWritable: context.channel.isWritable, at: now)
    schedule(context)
    context.fireChannelWritabilityChanged()
  }

  /// Keeps one timer that is never later than the next due time.
  private func schedule(_ context: ChannelHandlerContext) {
    guard let due = rules.wakeAt else { return }
    if let timerDue, timerDue <= due { return }
    timer?.cancel()
    timerDue = due
    let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(deadline: start + .milliseconds(due)) {
      let (handler, context) = box.value
      handler.timeReached(context)
    }
  }

  private func timeReached(_ context: ChannelHandlerContext) {
    timer = nil
    timerDue = nil
    if rules.requestIsOverdue(at: now) { work?.end(.outOfTime) }
    switch rules.timeReached(now) {
    case .wait: schedule(context)
    case .close: context.close(promise: nil)
    case .refuse(let status): refuse(Refusal(status, Refusal.nothingTaken), context)
    }
  }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
