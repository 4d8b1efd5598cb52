// The handlers of one server, each with what it uses and nothing else. Which path leads to which of
// them is `RouteTable.swift`; those of the operator's calls are `AdminHandlers.swift`.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumePush

struct Handlers: Sendable {
  let records: RecordRoutes
  let changes: ChangeRoutes
  let shares: ShareRoutes
  let zones: ZoneRoutes
  let subscriptions: SubscriptionRoutes
  let assets: AssetRoutes
  let users: UserRoutes
  let tokens: TokenRoutes
  let devices: DeviceRoutes
  let notifications: NotificationRoutes
  let stream: StreamRoute
  let courier: CourierRoute
  let signIn: SignInRoutes
  let provider: ProviderRoutes
  let health: HealthRoutes
  let metrics: MetricsRoute
  let session: SessionRoutes
  let operatorProvider: OperatorProviderRoutes

  init(_ server: Composition) {
    let (engine, store, settings) = (server.engine, server.store, server.settings)
    let (limits, rules, delivery) = (settings.limits, server.targets.rules, server.delivery)
    let addresses = AssetAddresses(
      server: server.address, base: settings.assets.baseURL, downloads: engine.assetDownloads)
    let cursors = MailboxCursors(generation: engine.generation, store: store)
    records = RecordRoutes(
      rules: rules, zones: engine.zones, addresses: addresses, signIn: server.signInAddress,
      metrics: server.metrics, limits: limits)
    changes = ChangeRoutes(rules: rules, addresses: addresses)
    shares = ShareRoutes(rules: rules, shares: engine.shares, addresses: addresses)
    zones = ZoneRoutes(rules: rules, limits: limits)
    subscriptions = SubscriptionRoutes(rules: rules, limits: limits)
    assets = AssetRoutes(
      rules: rules, uploads: engine.assetUploads, rereferences: engine.assetRereferences,
      exports: engine.assetExports,
      downloads: engine.assetDownloads, addresses: addresses, limits: limits,
      metrics: server.metrics)
    users = UserRoutes(rules: rules, tokens: engine.webAuthTokens)
    tokens = TokenRoutes(
      devices: engine.devices, worker: delivery.worker, server: server.address,
      courierSeconds: limits.courierSeconds)
    devices = DeviceRoutes(
      rules: rules, devices: engine.devices, webPush: engine.webPush,
      webPushGuard: server.deliveries.webPushGuard,
      webPushPublicKey: server.deliveries.webPush.publicKey, worker: delivery.worker)
    notifications = NotificationRoutes(notifications: engine.notifications)
    stream = StreamRoute(
      devices: engine.devices, tokens: engine.webAuthTokens,
      mailboxes: server.mailboxDelivery.mailboxes, source: server.targets.streamSource,
      cursors: cursors, parts: server.streamParts)
    courier = CourierRoute(
      courier: Courier(
        engine: engine, store: store, signals: delivery.signals, inFlight: delivery.inFlight,
        clock: server.clock.waiting(for: "a poll of the courier")),
      cursors: cursors, places: server.streamPlaces, metrics: server.metrics,
      pollSeconds: settings.timeouts.poll,
      timePasses: server.clock.manual == nil)
    signIn = SignInRoutes(
      signIns: engine.signIns, accounts: engine.accounts, passwords: server.passwords,
      signOut: server.signOut, server: server.address, providerName: settings.provider?.name,
      readyMade: settings.isDevelopment ? server.development.users : [])
    operatorProvider = OperatorProviderRoutes(
      provider: server.provider, calls: server.providerCalls,
      signIns: engine.operatorProviderSignIns,
      sessions: engine.operatorSessions, links: engine.operatorLinks,
      invitations: engine.operatorInvitations, auditLog: server.auditLog,
      server: server.address, secure: server.secureRequests, randomBytes: server.host.randomBytes,
      limits: limits)
    provider = ProviderRoutes(
      provider: server.provider, operators: operatorProvider, calls: server.providerCalls,
      signIns: engine.signIns, providerSignIns: engine.providerSignIns, server: server.address,
      randomBytes: server.host.randomBytes,
      cookieSeconds: limits.signInLifetime / 1000)
    session = SessionRoutes(
      operators: engine.operators, sessions: engine.operatorSessions, links: engine.operatorLinks,
      invitations: engine.operatorInvitations, authentication: engine.operatorAuthentication,
      passwords: server.passwords,
      auditLog: server.auditLog, server: server.address, secure: server.secureRequests,
      isDevelopment: settings.isDevelopment, limits: limits)
    health = HealthRoutes(store: store, health: server.health)
    metrics = MetricsRoute(
      metrics: server.metrics, store: store, notifiers: server.notifiers, delivery: delivery,
      health: server.health, now: server.host.now, isOpen: settings.isDevelopment,
      token: settings.metricsToken, identities: server.identities,
      exporter: server.exporter, lostLogLines: server.lostLogLines,
      sharedTime: server.clock.shared)
  }
}
