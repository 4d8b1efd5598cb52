// The rules of a server, by feature. Each feature is a value that holds what it needs and nothing else,
// in the folder of its name; whoever serves a request takes the one that the request is about.
//
// Rule failures are thrown as `BrumeError`; a failure of one item of a batch is in the answer.

package import BrumeModel
package import BrumeStorage

/// All rules. A class: as a value it would be 80 KB, and closures that call it would copy them.
///
/// Every call of a feature throws `StoreError` if the store fails and `CancellationError` if nobody waits for
/// it any more. A `BrumeError` is thrown for the request as a whole: with `authenticationRequired` or
/// `authenticationFailed` if the caller may not address the database, with those codes that the call names,
/// and with `internalError` if what it needs is damaged.
package final class Engine: Sendable {
  package let records: Records
  package let queries: Queries
  /// Which indexes queries use and lack.
  package let indexUses: IndexUses
  package let zones: Zones
  package let zoneAdministration: ZoneAdministration
  package let zoneLists: ZoneLists
  package let containers: Containers
  package let storageReports: StorageReports
  package let shareLists: ShareLists
  package let permissionQuestions: PermissionQuestions
  package let tokenInspection: TokenInspection
  package let operatorViews: OperatorViews
  package let changes: Changes
  package let deletionMemory: DeletionMemory
  package let zoneEmptying: ZoneEmptying
  package let subscriptions: Subscriptions
  package let notifications: Notifications
  package let pushKeys: PushKeys
  package let testPushes: TestPushes
  package let webhooks: Webhooks
  package let channelUses: ChannelUses
  package let devices: Devices
  package let webPush: WebPushRegistration
  package let shares: Shares
  package let schemas: Schemas
  package let uploadTickets: UploadTickets
  package let assetUploads: AssetUploads
  package let assetRereferences: AssetRereferences
  package let assetExports: AssetExports
  package let assetDownloads: AssetDownloads
  package let assetSweeper: AssetSweeper
  package let assetCheck: AssetCheck
  package let accounts: Accounts
  package let userRemovals: UserRemovals
  package let discovery: Discovery
  package let roles: Roles
  package let authentication: Authentication
  package let webAuthTokens: WebAuthTokens
  package let apiTokens: APITokens
  package let serverKeys: ServerKeys
  package let signIns: SignIns
  package let providerSignIns: ProviderSignIns
  package let operators: Operators
  package let operatorSessions: OperatorSessions
  package let operatorLinks: OperatorLinks
  package let operatorInvitations: OperatorInvitations
  package let operatorProviderSignIns: OperatorProviderSignIns
  package let operatorAuthentication: OperatorAuthentication
  package let adminTokens: AdminTokens
  package let audit: Audit
  /// Who may read what, as it is asked when notifications are made and delivered.
  package let permission: ReadPermission
  package let limits: Limits
  /// For what removes devices beside these rules.
  package let deviceRemovals: DeviceRemovals
  /// Which generation of which store this is: part of every change token and of every position in a
  /// stream. A store that was copied back raises it, which expires what earlier runs issued.
  package let generation: Int64

  /// Opens the rules on a store. The first start makes the secret that seals tokens.
  ///
  /// - Parameters:
  ///   - deviceRemovals: is notified of devices that go.
  ///   - refusals: is notified of what the store refuses of requests that are answered all the same.
  ///   - raised: called if this start raises the generation, with the reason.
  /// - Throws: a `StoreError` if the store cannot be written.
  package convenience init(
    store: any Store, assets: any AssetStore = MemoryAssetStore(), limits: Limits, host: Host,
    deviceRemovals: DeviceRemovals = DeviceRemovals(), refusals: StoreRefusals = StoreRefusals(),
    raised: (String) -> Void = { _ in }
  ) async throws {
    let identity = try await StoreIdentity.open(in: store, host: host)
    if let reason = identity.raisedBecause { raised(reason) }
    self.init(
      EngineParts(
        store: store, assets: assets, limits: limits, host: host,
        seal: Seal(secret: identity.secret, limits: limits),
        generation: identity.generation, deviceRemovals: deviceRemovals, refusals: refusals))
  }

  private init(_ parts: EngineParts) {
    records = Records(parts)
    queries = Queries(parts)
    indexUses = parts.indexUses
    zones = Zones(parts)
    zoneAdministration = ZoneAdministration(parts)
    zoneLists = ZoneLists(parts)
    containers = Containers(parts)
    storageReports = StorageReports(parts)
    shareLists = ShareLists(parts)
    permissionQuestions = PermissionQuestions(parts)
    tokenInspection = TokenInspection(parts)
    operatorViews = OperatorViews(parts)
    changes = Changes(parts)
    deletionMemory = DeletionMemory(parts)
    zoneEmptying = ZoneEmptying(parts)
    subscriptions = Subscriptions(parts)
    notifications = Notifications(parts)
    pushKeys = PushKeys(parts)
    testPushes = TestPushes(parts)
    webhooks = Webhooks(parts)
    channelUses = ChannelUses(parts)
    devices = Devices(parts)
    webPush = WebPushRegistration(parts)
    shares = Shares(parts)
    schemas = Schemas(parts)
    uploadTickets = UploadTickets(parts)
    assetUploads = AssetUploads(parts)
    assetRereferences = AssetRereferences(parts)
    assetExports = AssetExports(parts)
    assetDownloads = AssetDownloads(parts)
    assetSweeper = AssetSweeper(parts)
    assetCheck = AssetCheck(parts)
    accounts = Accounts(parts)
    userRemovals = UserRemovals(parts)
    discovery = Discovery(parts)
    roles = Roles(parts)
    authentication = Authentication(parts)
    webAuthTokens = WebAuthTokens(parts)
    apiTokens = APITokens(parts)
    serverKeys = ServerKeys(parts)
    signIns = SignIns(parts)
    providerSignIns = ProviderSignIns(parts)
    operators = Operators(parts)
    operatorSessions = OperatorSessions(parts)
    operatorLinks = OperatorLinks(parts)
    operatorInvitations = OperatorInvitations(parts)
    operatorProviderSignIns = OperatorProviderSignIns(parts)
    operatorAuthentication = OperatorAuthentication(parts)
    adminTokens = AdminTokens(parts)
    audit = Audit(parts)
    permission = ReadPermission(schemas: parts.schemas, limits: parts.limits)
    limits = parts.limits
    generation = parts.generation
    deviceRemovals = parts.deviceRemovals
  }
}

/// What the features are made of.
struct EngineParts: Sendable {
  let store: any Store
  let assets: any AssetStore
  let limits: Limits
  let host: Host
  let seal: Seal
  let generation: Int64
  let deviceRemovals: DeviceRemovals
  let refusals: StoreRefusals
  let schemas: SchemaCache
  let knownCredentials: KnownCredentials
  let knownSizes = KnownSizes()
  let unfinishedZones = UnfinishedZones()
  let indexUses: IndexUses

  init(
    store: any Store, assets: any AssetStore, limits: Limits, host: Host, seal: Seal,
    generation: Int64, deviceRemovals: DeviceRemovals, refusals: StoreRefusals
  ) {
    self.deviceRemovals = deviceRemovals
    self.refusals = refusals
    self.store = store
    self.assets = assets
    self.limits = limits
    self.host = host
    self.seal = seal
    self.generation = generation
    schemas = SchemaCache(damaged: store.damagedRows)
    knownCredentials = KnownCredentials(limit: limits.rememberedCredentials) {
      store.sharedAccounts?.silence ?? 0
    }
    indexUses = IndexUses(since: host.now(), capacity: limits.countedIndexes)
  }
}
