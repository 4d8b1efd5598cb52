// Webhooks: registering them, and what the log keeps for those that are behind.

package import BrumeModel
package import BrumeStorage

extension Engine {
  /// Registers a webhook from now on. The answer holds its secret, which is shown this once.
  package func addWebhook(
    url: String, container: ContainerID, environment: Environment
  ) async throws -> Webhook {
    try NameRules.container(container.name)
    guard (1...limits.pushURLBytes).contains(url.utf8.count) else {
      throw BrumeError(.badRequest, "'url' must have 1 to \(limits.pushURLBytes) bytes")
    }
    let (id, secret, now) = (
      "wh_" + Hex.text(host.randomBytes(8)), host.randomBytes(32), host.now()
    )
    let limit = limits.webhooksPerContainer
    return try await store.write(in: nil) { transaction in
      let others = try transaction.webhooks().filter {
        $0.container == container && $0.environment == environment
      }
      guard others.count < limit else {
        throw BrumeError(
          .limitExceeded,
          "\(container) has \(limit) webhooks in \(environment.rawValue) already; remove one first")
      }
      let webhook = Webhook(
        id: id, container: container, environment: environment, url: url, secret: secret,
        created: now, cursor: try transaction.lastLogPosition())
      try transaction.put(webhook)
      return webhook
    }
  }

  /// Switches a webhook on again. It goes on where it stopped, as far as the log still knows.
  package func enableWebhook(_ id: String) async throws {
    let lag = limits.webhookLag
    try await store.write(in: nil) { transaction in
      guard var webhook = try transaction.webhook(id) else { throw Self.noWebhook(id) }
      guard !webhook.isActive else { return }
      webhook.disabledBecause = nil
      webhook.failures = 0
      // While it was off, nothing was kept for it.
      let oldest = try transaction.log(after: 0, limit: 1).first?.position
      let newest = try transaction.lastLogPosition()
      let kept = oldest.map { $0 - 1 } ?? newest
      if webhook.cursor < max(kept, newest - lag) {
        webhook.missed = true
        webhook.batchEnd = nil
        webhook.cursor = max(kept, newest - lag)
      }
      try transaction.put(webhook)
    }
  }

  package func removeWebhook(_ id: String) async throws {
    let wasThere = try await store.write(in: nil) { try $0.removeWebhook(id) }
    if !wasThere { throw Self.noWebhook(id) }
  }

  private static func noWebhook(_ id: String) -> BrumeError {
    BrumeError(.notFound, "there is no webhook '\(id)'; 'brume webhook list' shows them")
  }
}

extension WriteTransaction {
  /// How far the log may be trimmed when the notifier is done up to `position`. Active webhooks hold
  /// entries back, but not without end: one that is too far behind is told that it missed some.
  package func trimmable(through position: Int64, limits: Limits) throws -> Int64 {
    var floor = position
    for var webhook in try webhooks() where webhook.isActive && webhook.cursor < position {
      let least = position - limits.webhookLag
      if webhook.cursor < least {
        webhook.cursor = least
        webhook.batchEnd = nil
        webhook.missed = true
        try put(webhook)
      }
      floor = min(floor, webhook.cursor)
    }
    return floor
  }
}
