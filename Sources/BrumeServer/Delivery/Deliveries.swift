// Delivery to the outside, put together: who may be called, with what, through which channels.

import BrumeCore
package import BrumeDelivery
import BrumeModel
package import BrumePush
import BrumeStorage
import BrumeTracing
import Logging

/// What sends to APNs, Web Push services and webhooks.
package final class Deliveries: Sendable {
  package let worker: DeliveryWorker
  /// Asked when an operator registers a webhook; the channel asks again when it calls it.
  package let webhookGuard: OutsideGuard
  /// The same for what users register: they are not let into the operator's network by what the
  /// operator's own webhooks may call.
  package let webPushGuard: OutsideGuard
  package let webPush: WebPushChannel
  private let clients: OutsideClients

  init(
    engine: Engine, store: any Store, settings: Settings, host: Host, clock: PushClock,
    metrics: ServerMetrics, events: ConsoleEvents, spans: Spans
  ) async throws {
    let clients = OutsideClients(
      timeout: settings.outside.timeout, trust: settings.outside.trust, limits: settings.limits,
      sleep: { try await Task.sleep(for: $0) })
    let plain: OutsideExchange = { try await clients.send($0) }
    let exchange = spans.measured(plain)
    let resolve: OutsideGuard.Resolve = { try await NameLookup.addresses($0) }
    webhookGuard = OutsideGuard(
      allowed: settings.outside.allowed, setting: Setting.pushAllow.flag, resolve: resolve)
    webPushGuard = OutsideGuard(
      allowed: settings.outside.webPushAllowed, setting: Setting.webPushAllow.flag,
      timeIsUp: { [time = settings.outside.timeout] in try await Task.sleep(for: .seconds(time)) },
      resolve: resolve)
    let apns = APNsChannel(
      hosts: settings.outside.apns, concurrency: settings.outside.apnsConcurrency,
      limits: settings.limits,
      senders: { container in try await store.read { try $0.apnsSenders.all(of: container) } },
      used: { [uses = engine.channelUses] in await uses.note($0) },
      exchange: exchange)
    let concurrency = settings.outside.concurrency
    webPush = WebPushChannel(
      vapid: try VAPID(
        key: await engine.pushKeys.vapidKey(), contact: settings.outside.contact,
        limits: settings.limits),
      concurrency: concurrency, limits: settings.limits, outside: webPushGuard,
      randomBytes: host.randomBytes, exchange: exchange)
    self.clients = clients
    let webhooks = WebhookChannel(
      concurrency: concurrency, outside: webhookGuard,
      used: { [uses = engine.channelUses] in await uses.note($0) },
      exchange: spans.measured(plain, passesTrace: true))
    let channels: [any Channel] = [apns, webPush]
    worker = DeliveryWorker(
      engine: engine, store: store,
      channels: spans.isOn ? channels.map { TracedChannel(channel: $0, spans: spans) } : channels,
      webhooks: spans.isOn ? TracedWebhooks(webhooks: webhooks, spans: spans) : webhooks,
      clock: clock, chance: { Double(host.randomBytes(1)[0]) / 255 },
      observe: {
        metrics.pushAnswered($0)
        events.note(.pushes)
      })
  }

  /// Sends until cancelled, then closes connections.
  ///
  /// - Throws: what ends the worker; a store that does not answer is tried again.
  func run(_ retry: StoreRetry) async throws {
    let result: Result<Void, any Error>
    do {
      try await retry.run { try await worker.run() }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await clients.close()
    try result.get()
  }
}
