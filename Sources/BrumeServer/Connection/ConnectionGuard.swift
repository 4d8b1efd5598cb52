// The guard carries out `ConnectionRules` on a channel: one timer, no decisions. It informs the work on a
// request that its client has gone, or that its time is over.

import BrumeModel
import BrumeWire
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Sits between HTTP decoding and request handling.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let hosts: AllowedHosts
  /// What to end; nil before the connection is set up.
  var work: RequestWork?
  private let start = NIODeadline.now()
  private var rules: ConnectionRules
  private var timer: Scheduled<Void>?
  private var timerDue: ConnectionRules.Instant?
  private var isRefused = false

  init(limits: ConnectionRules.Limits, hosts: AllowedHosts) {
    self.hosts = hosts
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
    if case ChannelEvent.inputClosed = event { work?.end(.clientGone) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      guard accepts(head, context) else { return }
    case .body(let part):
      rules.bodyReceived(bytes: part.readableBytes)
    case .end:
      rules.endReceived()
    }
    schedule(context)
    context.fireChannelRead(data)
  }

  private func accepts(_ head: HTTPRequest, _ context: ChannelHandlerContext) -> Bool {
    // The codec takes the first Host as the authority and leaves further ones among the fields.
    let count = (head.authority == nil ? 0 : 1) + head.headerFields[values: .secondHost].count
    let verdict = rules.headReceived(
      hostCount: count, isHostAllowed: hosts.allows(head.authority ?? ""),
      targetBytes: head.path?.utf8.count ?? 0, at: now)
    guard case .refuse(let status) = verdict else { return true }
    refuse(status, Self.reason(status, count, head.authority ?? ""), context)
    return false
  }

  /// Answers instead of the routes, and hands nothing on from now.
  private func refuse(_ status: Int, _ reason: BrumeError, _ context: ChannelHandlerContext) {
    isRefused = true
    // Nobody has named this request yet.
    let body = Wire.error(reason, uuid: "")
    let answer = HTTPResponse(
      status: .init(code: status),
      headerFields: [
        .connection: "close", .contentType: "application/json", .contentLength: "\(body.count)",
      ])
    context.write(wrapOutboundOut(.head(answer)), promise: nil)
    context.write(wrapOutboundOut(.body(ByteBuffer(bytes: body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    rules.answerEnded(at: now)
    schedule(context)
  }

  private static func reason(_ status: Int, _ hosts: Int, _ host: String) -> BrumeError {
    switch status {
    case 403:
      BrumeError(
        .accessDenied,
        "this server is not called '\(NameRules.shown(host))'; its operator can allow that name with "
          + Setting.allowedHosts.flag)
    case 414:
      BrumeError(
        .badRequest, "the address of the request is too long; send what is long in its body")
    default:
      BrumeError(.badRequest, "the request has \(hosts) Host headers; send exactly one")
    }
  }

  private static let nothingTaken = BrumeError(
    .tryAgainLater,
    "no request came in time on this connection, so none was carried out; send it again on a new "
      + "connection")

  func write(
    context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
  ) {
    switch unwrapOutboundIn(data) {
    case .head(let head):
      rules.answerBegan(closes: head.headerFields[.connection] == "close")
    case .body:
      break
    case .end:
      rules.answerEnded(at: now)
      schedule(context)
    }
    context.write(data, promise: promise)
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
    case .refuse(let status): refuse(status, Self.nothingTaken, context)
    }
  }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
