// What a push service's answers mean (RFC 8030).

package import BrumeDelivery
package import BrumeModel

/// The table of answers.
package enum WebPushStatus {
  /// - Parameter now: when the answer came; a subscription that ended counts as gone since then.
  package static func answer(
    _ reply: OutsideReply, now: Milliseconds, limits: Limits = .apple
  ) -> ChannelAnswer {
    ChannelAnswer(verdict(reply, now, limits), status: reply.status, reason: words(reply.status))
  }

  private static func verdict(
    _ reply: OutsideReply, _ now: Milliseconds, _ limits: Limits
  ) -> ChannelAnswer.Verdict {
    switch reply.status {
    case 200..<300: .done
    // The subscription ended; one that was made since this push began counts.
    case 404, 410: .gone(at: now)
    case 413: .tooLarge
    case 408, 425, 429: .retry(after: reply.pause(at: now))
    case 503: .busy(after: reply.pause(at: now))
    case 500...: .retry(after: reply.pause(at: now))
    // Our key, or what the browser subscribed with: the message waits for the operator, or until the browser subscribes
    // anew.
    case 401, 403: .retry(after: limits.pushConfigurationPause)
    // Redirects are not followed; they and 407 are a proxy's, which stands in between.
    case 300..<400, 407: .retry(after: nil)
    case 400..<500: .refused
    default: .retry(after: nil)
    }
  }

  /// Our own words: what a push service writes may repeat the endpoint.
  private static func words(_ status: Int) -> String {
    switch status {
    case 300..<400: "redirects are not followed"
    case 407: "a proxy in between asks for a password"
    case 404, 410: "the subscription is gone"
    case 401, 403: "the push service refuses our key"
    case 413: "the message is too large for the push service"
    case 429: "the push service asks for fewer messages"
    case 500...: "the push service failed"
    default: ""
    }
  }
}
