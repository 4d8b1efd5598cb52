// What Apple's answers mean: the table of "Handling notification responses from APNs".

package import BrumeDelivery
package import BrumeModel
import BrumeWire

/// The table of answers.
package enum APNsStatus {
  /// - Parameter now: stands in for the time that a 410 should name.
  package static func answer(
    _ reply: OutsideReply, now: Milliseconds, limits: Limits = .apple
  ) -> ChannelAnswer {
    let body = try? JSON(parsing: reply.body)
    let reason = body?["reason"]?.string.map { String($0.prefix(64)) } ?? ""
    let verdict = verdict(reply, reason, since: body?["timestamp"]?.int ?? now, now, limits)
    return ChannelAnswer(verdict, status: reply.status, reason: reason)
  }

  /// What Apple says when the app is not called that.
  private static let wrongTopic: Set = ["BadTopic", "MissingTopic", "TopicDisallowed"]

  /// How long to send nothing that the same key signs; nil if the answer is not about the key.
  static func keyPause(_ answer: ChannelAnswer, _ limits: Limits) -> Milliseconds? {
    switch (answer.status, answer.reason) {
    case (401, _), (403, _): limits.pushConfigurationPause
    case (400, let reason) where wrongTopic.contains(reason): limits.pushConfigurationPause
    case (429, "TooManyProviderTokenUpdates"): limits.apnsTokenMinimumLifetime
    case (_, _): nil
    }
  }

  private static func verdict(
    _ reply: OutsideReply, _ reason: String, since: Milliseconds, _ now: Milliseconds,
    _ limits: Limits
  ) -> ChannelAnswer.Verdict {
    let asked = reply.pause(at: now)
    return switch (reply.status, reason) {
    case (200, _): .done
    case (400, "IdleTimeout"): .retry(after: nil)
    // The app is not called that, or its devices not here: the operator's settings, which can be mended.
    case (400, "DeviceTokenNotForTopic"): .retry(after: limits.pushConfigurationPause)
    case (400, let reason) where wrongTopic.contains(reason):
      .retry(after: limits.pushConfigurationPause)
    // The token is not of this server, or the push is malformed: sending again changes nothing.
    // The device stays, for a wrong setting on our side looks the same.
    case (400, _), (404, _), (405, _): .refused
    // Our own credentials: nothing is wrong with the device, the push, or what other keys sign.
    case (403, _), (401, _): .retry(after: limits.pushConfigurationPause)
    case (410, _): .gone(at: since)
    case (413, _): .tooLarge
    case (429, "TooManyProviderTokenUpdates"): .retry(after: limits.apnsTokenMinimumLifetime)
    // Too many pushes to this device.
    case (429, _): .retry(after: asked)
    case (503, _): .busy(after: asked)
    case (500..., _): .retry(after: asked)
    // Also what stands between here and Apple: a proxy that leads elsewhere, or asks who we are.
    case (_, _): .retry(after: nil)
    }
  }
}
