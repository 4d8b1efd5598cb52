// Calls of the server to APNs, Web Push services and webhooks, as spans of the requests that caused them.

import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeTracing

struct TracedChannel: Channel {
  let channel: any Channel
  let spans: Spans

  var kind: Device.Channel.Kind { channel.kind }
  var payloadBytes: Int { channel.payloadBytes }
  func peer(of device: Device) -> DeliveryPeer { channel.peer(of: device) }
  func forgetRefusals() { channel.forgetRefusals() }

  func send(_ push: OutgoingPush) async throws(CancellationError) -> ChannelAnswer {
    do {
      return try await spans.run("push \(kind.rawValue)", .producer, causedBy: push.requestID) {
        span in
        let answer = try await channel.send(push)
        span.note(answer)
        return answer
      }
    } catch {
      throw CancellationError()
    }
  }
}

struct TracedWebhooks: WebhookSender {
  let webhooks: any WebhookSender
  let spans: Spans

  func peer(of webhook: Webhook) -> DeliveryPeer { webhooks.peer(of: webhook) }

  func send(
    _ body: [UInt8], id: String, causedBy requestID: String, to webhook: Webhook,
    now: Milliseconds
  ) async throws(CancellationError) -> ChannelAnswer {
    do {
      return try await spans.run("push webhook", .producer, causedBy: requestID) { span in
        let answer = try await webhooks.send(
          body, id: id, causedBy: requestID, to: webhook, now: now)
        span.note(answer)
        return answer
      }
    } catch {
      throw CancellationError()
    }
  }
}

extension RunningSpan {
  fileprivate func note(_ answer: ChannelAnswer) {
    if let status = answer.status { add(["http.response.status_code": .number(status)]) }
    if answer.verdict != .done { fail() }
  }
}

extension Spans {
  /// The same exchange, each call of it measured.
  ///
  /// - Parameter passesTrace: whether the other side gets the trace's ID. It is the operator's own then.
  func measured(
    _ exchange: @escaping OutsideExchange, passesTrace: Bool = false
  ) -> OutsideExchange {
    guard isOn else { return exchange }
    return { call in
      try await run("call", .client, ["http.request.method": "POST"]) { span in
        var call = call
        if passesTrace, let traceparent = span.traceparent { call.set("traceparent", traceparent) }
        let reply = try await exchange(call)
        span.add(["http.response.status_code": .number(reply.status)])
        return reply
      }
    }
  }
}
