// Webhooks: registering them, and what the log keeps for those that are behind.

package import BrumeModel
package import BrumeStorage

/// The webhooks of a server.
package struct Webhooks: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// Registers a webhook from now on. The answer holds its secret, which is shown this once.
  ///
  /// - Throws: `badContainer`, `badRequest` if the address is empty or too long, `limitExceeded` if the container
  ///   environment, or the server, has as many webhooks as may be.
  package func add(
    url: String, in containerEnvironment: ContainerEnvironment
  ) async throws -> Webhook {
    try NameRules.container(containerEnvironment.container.name)
    guard (1...limits.pushURLBytes).contains(url.utf8.count) else {
      throw BrumeError(.badRequest, "'url' must have 1 to \(limits.pushURLBytes) bytes")
    }
    let (id, secret, now) = (
      "wh_" + Hex.text(host.randomBytes(8)), host.randomBytes(32), host.now()
    )
    let limits = limits
    return try await store.write(in: .server) { transaction in
      try transaction.webhooks.checkRoom(in: containerEnvironment, limits: limits)
      let webhook = Webhook(
        id: id, in: containerEnvironment, url: url, secret: secret,
        created: now, cursor: try transaction.log.lastPositions())
      try transaction.webhooks.put(webhook)
      return webhook
    }
  }

  /// Switches a webhook on again. It goes on where it stopped: the log is kept for it meanwhile, up to
  /// `webhookLag` entries.
  ///
  /// - Throws: `notFound` if the container environment has none with this ID.
  package func enable(_ id: String, in containerEnvironment: ContainerEnvironment) async throws {
    try await store.write(in: .server) { transaction in
      var webhook = try Self.webhook(id, containerEnvironment, in: transaction)
      guard !webhook.isActive else { return }
      webhook.disabledBecause = nil
      webhook.failures = 0
      try transaction.webhooks.put(webhook)
    }
  }

  /// Switches a webhook off until it is switched on again: nothing is sent to it meanwhile. A call that is under
  /// way ends, and is sent again with the same ID later. One that the server has switched off keeps its reason.
  ///
  /// - Throws: `notFound` if the container environment has none with this ID.
  package func disable(_ id: String, in containerEnvironment: ContainerEnvironment) async throws {
    try await store.write(in: .server) { transaction in
      var webhook = try Self.webhook(id, containerEnvironment, in: transaction)
      guard webhook.isActive else { return }
      webhook.disabledBecause = Webhook.switchedOffByHand
      try transaction.webhooks.put(webhook)
    }
  }

  /// Removes a webhook: nothing more is sent to it.
  ///
  /// - Throws: `notFound` if the container environment has none with this ID.
  package func remove(_ id: String, in containerEnvironment: ContainerEnvironment) async throws {
    try await store.write(in: .server) { transaction in
      _ = try Self.webhook(id, containerEnvironment, in: transaction)
      try transaction.webhooks.remove(id)
      try transaction.settings.set(.webhookUse(id), to: nil)
    }
  }

  /// A webhook of a container environment.
  ///
  /// - Throws: `notFound` if there is none, or if it is another's.
  package func find(
    _ id: String, in containerEnvironment: ContainerEnvironment
  ) async throws -> Webhook {
    try await store.read { try Self.webhook(id, containerEnvironment, in: $0) }
  }

  private static func webhook(
    _ id: String, _ containerEnvironment: ContainerEnvironment,
    in transaction: any ReadTransaction
  ) throws -> Webhook {
    guard let webhook = try transaction.webhooks.find(id) else {
      throw BrumeError(
        .notFound, "there is no webhook '\(NameRules.shown(id))'; 'brume webhook list' shows them")
    }
    guard webhook.containerEnvironment == containerEnvironment else {
      throw BrumeError(
        .notFound,
        "webhook '\(id)' is not of \(containerEnvironment) but of \(webhook.containerEnvironment); "
          + "name these with --container and --environment")
    }
    return webhook
  }
}

extension WebhookReading {
  fileprivate func checkRoom(
    in containerEnvironment: ContainerEnvironment, limits: Limits
  ) throws {
    let all = try all()
    let next = "remove one with `brume webhook remove ID`"
    try CountRules.room(
      for: "webhooks of all containers", beside: all.count, upTo: limits.webhooks, next: next)
    try CountRules.room(
      for: "webhooks of \(containerEnvironment)",
      beside: all.count { $0.containerEnvironment == containerEnvironment },
      upTo: limits.webhooksPerContainer, next: next)
  }
}

extension Webhook {
  /// Why a webhook is off that an operator has switched off; who did is in the audit log.
  package static let switchedOffByHand = "switched off by an operator"
}

extension WebhookWriting {
  /// How far the log may be trimmed when the notifier is done up to `position`. Webhooks hold entries
  /// back, also while they are off, but not without end: one that is too far behind is informed that it
  /// missed some.
  ///
  /// - Throws: what the transaction throws.
  package func trimmable(
    in bucket: Bucket, through position: Int64, limits: Limits
  ) throws -> Int64 {
    var floor = position
    for var webhook in try all() where webhook.cursor[bucket] < position {
      let least = position - limits.webhookLag
      if webhook.cursor[bucket] < least {
        // By a tenth more, or each change of each bucket would have to write the webhook. Who missed some fetches all anyway.
        webhook.cursor[bucket] = least + limits.webhookLag / 10
        if webhook.batchEnd?.bucket == bucket { webhook.batchEnd = nil }
        webhook.missed = true
        try put(webhook)
      }
      floor = min(floor, webhook.cursor[bucket])
    }
    return floor
  }
}
