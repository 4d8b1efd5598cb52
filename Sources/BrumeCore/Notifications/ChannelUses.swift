// When a webhook's secret or a key of Apple's push service was used last, so that an operator sees which one can go.
// It is in the store, so that it outlives a start and is the same for all servers on one database; noted once a minute
// for each at most, so that pushes cost no writes of their own.

package import BrumeModel
package import BrumeStorage
import Synchronization

/// The last uses of what signs calls to the outside.
package final class ChannelUses: Sendable {
  private let store: any Store
  private let pause: Milliseconds
  private let now: @Sendable () -> Milliseconds
  /// When this server noted each last.
  private let noted = Mutex<[SettingKey: Milliseconds]>([:])
  /// Ours: beyond it all are forgotten, which costs a write for each.
  private static let most = 10_000

  init(_ parts: EngineParts) {
    store = parts.store
    pause = parts.limits.channelUseNoted
    now = parts.host.now
  }

  /// A webhook was called, and answered.
  package func note(_ webhook: Webhook) async {
    await note(.webhookUse(webhook.id)) { try $0.webhooks.find(webhook.id) != nil }
  }

  /// Apple answered a push that was signed with a key.
  package func note(_ sender: APNsSender) async {
    await note(.apnsUse(sender.container, topic: sender.topic)) { transaction in
      try transaction.apnsSenders.all(of: sender.container).contains {
        $0.topic == sender.topic && $0.keyID == sender.keyID
      }
    }
  }

  /// What was removed in the meantime gets no note. One that cannot be written is missed by nobody: the push counts.
  private func note(
    _ key: SettingKey, where isThere: @escaping @Sendable (any ReadTransaction) throws -> Bool
  ) async {
    let (now, pause) = (now(), pause)
    guard isDue(key, now) else { return }
    try? await store.writeRepeatable(in: .server) { transaction in
      // Another server may have noted it.
      if let known = try transaction.settings.number(key), now - known < pause { return }
      guard try isThere(transaction) else { return }
      try transaction.settings.set(key, toNumber: now)
    }
  }

  private func isDue(_ key: SettingKey, _ now: Milliseconds) -> Bool {
    noted.withLock { noted in
      if let last = noted[key], last <= now, now - last < pause { return false }
      if noted.count >= Self.most { noted = [:] }
      noted[key] = now
      return true
    }
  }
}

extension SettingReading {
  /// When a webhook or a key was used last; nil: never.
  package func lastUse(_ key: SettingKey) throws -> Milliseconds? { try number(key) }
}
