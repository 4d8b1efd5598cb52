// The handlers of the operator's calls, each with what it uses and nothing else. Which path leads to
// which of them is `RouteTable.swift`.

import BrumeCore
import BrumeModel

struct AdminHandlers: Sendable {
  let status: StatusAdmin
  let accounts: AccountAdmin
  let credentials: CredentialAdmin
  let roles: RoleAdmin
  let records: RecordAdmin
  let schemas: SchemaAdmin
  let zones: ZoneAdmin
  let assets: AssetAdmin
  let backups: BackupAdmin
  let devices: DeviceAdmin
  let faults: FaultAdmin
  let pushLog: PushLogAdmin
  let trace: TraceAdmin
  let apns: APNsAdmin
  let webhooks: WebhookAdmin
  let operators: OperatorAdmin
  let audit: AuditAdmin

  init(_ server: Composition) {
    let (engine, store, settings) = (server.engine, server.store, server.settings)
    let named = NamedUsers(store: store)
    status = StatusAdmin(
      settings: settings, server: server.address, store: store, development: server.development,
      identities: server.identities, now: server.host.now)
    accounts = AccountAdmin(
      accounts: engine.accounts, removals: engine.userRemovals, tokens: engine.webAuthTokens,
      signOut: server.signOut,
      store: store,
      users: named, mostUsers: settings.limits.operatorListUsers)
    credentials = CredentialAdmin(
      apiTokens: engine.apiTokens, serverKeys: engine.serverKeys, signOut: server.signOut,
      store: store)
    roles = RoleAdmin(roles: engine.roles, store: store, users: named)
    records = RecordAdmin(
      views: engine.operatorViews, records: engine.records, queries: engine.queries,
      questions: engine.permissionQuestions,
      addresses: AssetAddresses(
        server: server.address, base: settings.assets.baseURL, downloads: engine.assetDownloads),
      metrics: server.metrics)
    schemas = SchemaAdmin(schemas: engine.schemas, mostFaults: settings.limits.schemaFaults)
    zones = ZoneAdmin(
      views: engine.operatorViews, administration: engine.zoneAdministration, zones: engine.zones,
      containers: engine.containers, lists: engine.zoneLists, shareLists: engine.shareLists,
      tokens: engine.tokenInspection, users: named)
    assets = AssetAdmin(assets: engine.assetCheck, mostNames: settings.limits.assetCheckNames)
    backups = BackupAdmin(snapshots: server.snapshots, assets: server.assets)
    devices = DeviceAdmin(
      testPushes: engine.testPushes, delivery: server.delivery, store: store, users: named)
    faults = FaultAdmin(faults: server.pushFaults, users: named)
    pushLog = PushLogAdmin(store: store, users: named, mostLines: settings.limits.pushLogPage)
    trace = TraceAdmin(
      engine: engine, store: store, host: server.host, fetches: server.fetches, users: named)
    apns = APNsAdmin(pushKeys: engine.pushKeys, store: store, worker: server.delivery.worker)
    webhooks = WebhookAdmin(
      webhooks: engine.webhooks, store: store, worker: server.delivery.worker,
      outside: server.deliveries.webhookGuard,
      uuid: server.host.uuid)
    operators = OperatorAdmin(
      operators: engine.operators, tokens: engine.adminTokens, links: engine.operatorLinks,
      server: server.address, isDevelopment: settings.isDevelopment)
    audit = AuditAdmin(log: engine.audit)
  }
}
