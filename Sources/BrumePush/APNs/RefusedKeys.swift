// Keys that Apple refused lately. What they sign waits without asking Apple again for each push; what
// others sign is not held up: a wrong key of one app is no reason for another's pushes to be late.

import BrumeDelivery
import BrumeModel

struct RefusedKeys: Sendable {
  /// Apple may refuse a key for one app, or at one of its servers, and take it elsewhere.
  private struct Use: Hashable {
    let host: String
    let sender: APNsSender
  }
  private struct Refusal {
    let answer: ChannelAnswer
    let from: Milliseconds
    let until: Milliseconds
  }
  private let limits: Limits
  private var refusals: [Use: Refusal] = [:]

  init(limits: Limits) { self.limits = limits }

  /// What Apple said of the key, with the rest of the pause; nil if it may be tried.
  mutating func answer(
    for sender: APNsSender, at host: String, now: Milliseconds
  ) -> ChannelAnswer? {
    let use = Use(host: host, sender: sender)
    guard let refusal = refusals[use] else { return nil }
    // Pushes that began a little earlier, and came here later, wait too.
    guard now >= refusal.from - ProviderTokens.slack, now < refusal.until else {
      refusals[use] = nil
      return nil
    }
    var answer = refusal.answer
    answer.verdict = .retry(after: refusal.until - now)
    return answer
  }

  /// Apple's answer to a push that the key signed: remembered if it is about the key.
  mutating func learn(
    _ answer: ChannelAnswer, of sender: APNsSender, at host: String, now: Milliseconds
  ) {
    guard let pause = APNsStatus.keyPause(answer, limits) else { return }
    if refusals.count >= limits.rememberedSenders { refusals = [:] }
    refusals[Use(host: host, sender: sender)] = Refusal(
      answer: answer, from: now, until: now + pause)
  }
}
