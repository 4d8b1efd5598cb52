// The handlers of the operator's calls, each with what it uses and nothing else. Which path leads to
// which of them is `RouteTable.swift`.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeNotifier

struct AdminHandlers: Sendable {
  let status: StatusAdmin
  let accounts: AccountAdmin
  let credentials: CredentialAdmin
  let roles: RoleAdmin
  let records: RecordAdmin
  let schemas: SchemaAdmin
  let zones: ZoneAdmin
  let deletions: DeletionAdmin
  let assets: AssetAdmin
  let backups: BackupAdmin
  let restores: RestoreAdmin
  let devices: DeviceAdmin
  let faults: FaultAdmin
  let clock: ClockAdmin
  let pushLog: PushLogAdmin
  let trace: TraceAdmin
  let apns: APNsAdmin
  let webhooks: WebhookAdmin
  let operators: OperatorAdmin
  let audit: AuditAdmin
  let logs: LogAdmin
  let usage: UsageAdmin
  let events: EventRoute

  init(_ server: Composition) {
    let (engine, store, settings) = (server.engine, server.store, server.settings)
    let named = NamedUsers(store: store)
    status = StatusAdmin(
      settings: settings, server: server.address, store: store, development: server.development,
      faults: server.faults, identities: server.identities, now: server.host.now)
    accounts = AccountAdmin(
      accounts: engine.accounts, removals: engine.userRemovals, tokens: engine.webAuthTokens,
      signOut: server.signOut,
      store: store,
      users: named, usage: server.usage, mostUsers: settings.limits.operatorListUsers)
    credentials = CredentialAdmin(
      apiTokens: engine.apiTokens, serverKeys: engine.serverKeys, signOut: server.signOut,
      store: store, usage: server.usage)
    roles = RoleAdmin(roles: engine.roles, users: named)
    records = RecordAdmin(
      views: engine.operatorViews, records: engine.records, queries: engine.queries,
      questions: engine.permissionQuestions,
      addresses: AssetAddresses(
        server: server.address, base: settings.assets.baseURL, downloads: engine.assetDownloads),
      metrics: server.metrics)
    schemas = SchemaAdmin(
      schemas: engine.schemas, uses: engine.indexUses, mostFaults: settings.limits.schemaFaults)
    zones = ZoneAdmin(
      views: engine.operatorViews, administration: engine.zoneAdministration, zones: engine.zones,
      containers: engine.containers, lists: engine.zoneLists, shareLists: engine.shareLists,
      tokens: engine.tokenInspection, users: named)
    deletions = DeletionAdmin(memory: engine.deletionMemory, metrics: server.metrics)
    assets = AssetAdmin(assets: engine.assetCheck, mostNames: settings.limits.assetCheckNames)
    backups = BackupAdmin(
      snapshots: server.snapshots, engine: settings.engine.name, assets: server.assets,
      users: named,
      downloads: engine.assetDownloads)
    restores = RestoreAdmin(restores: server.restores)
    devices = DeviceAdmin(
      testPushes: engine.testPushes, delivery: server.delivery, store: store, users: named,
      mostUsers: settings.limits.operatorListUsers)
    faults = FaultAdmin(faults: server.pushFaults, users: named)
    clock = ClockAdmin(clock: server.clock, limits: settings.limits)
    pushLog = PushLogAdmin(store: store, users: named, mostLines: settings.limits.pushLogPage)
    trace = TraceAdmin(
      tracing: Self.tracing(server), store: store, now: server.host.now, users: named,
      limits: settings.limits)
    apns = APNsAdmin(pushKeys: engine.pushKeys, store: store, worker: server.delivery.worker)
    webhooks = WebhookAdmin(
      webhooks: engine.webhooks, store: store, worker: server.delivery.worker,
      outside: server.deliveries.webhookGuard,
      uuid: server.host.uuid)
    operators = OperatorAdmin(
      operators: engine.operators, tokens: engine.adminTokens, links: engine.operatorLinks,
      invitations: engine.operatorInvitations, server: server.address, provider: server.provider,
      isDevelopment: settings.isDevelopment)
    audit = AuditAdmin(log: engine.audit)
    logs = LogAdmin(
      log: server.requestLog, users: named,
      mostLines: settings.limits.requestLogPage)
    events = EventRoute(
      events: server.events, authentication: engine.operatorAuthentication,
      isDevelopment: settings.isDevelopment)
    usage = UsageAdmin(usage: server.usage, storage: engine.storageReports, users: named)
  }

  /// Subscriptions are judged by the rules, the way to a device by delivery's.
  private static func tracing(_ server: Composition) -> Tracing {
    let pushes = PushTrace(
      limits: server.engine.limits, now: server.host.now,
      maySend: SendPermission(server.engine.permission), fetches: server.fetches)
    return Tracing(server.engine) { try pushes.explain($0, in: $1) }
  }
}
