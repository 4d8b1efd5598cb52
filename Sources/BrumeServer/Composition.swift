// What one server consists of, put together: settings, store, rules, streams, metrics. The clock,
// identity and chance of the real machine enter here and nowhere below.

package import BrumeCore
package import BrumeDelivery
package import BrumeModel
package import BrumeNotifier
import BrumeOpenID
package import BrumeStorage
import BrumeTracing
import BrumeWire
package import Logging

/// One server, put together and not yet listening. `Services` runs it.
package final class Composition: Sendable {
  package let settings: Settings
  package let address: ServerAddress
  package let host: Host
  /// What everything that waits goes by.
  package let clock: ServerClock
  package let logger: Logger
  package let store: any Store
  package let assets: any AssetStore
  package let engine: Engine
  package let notifiers: Notifiers
  package let deliveries: Deliveries
  package let metrics: ServerMetrics
  let usage: Usage
  /// The newest requests.
  let requestLog: RequestLog
  /// What pages of the console are sent.
  let events: ConsoleEvents
  /// When each device fetched last.
  package let fetches: LastFetches
  package let rates: RateLimits
  package let requestShares: RequestShares
  package let connectionShares: ConnectionShares
  let streamPlaces: StreamPlaces
  package let bodyMemory: HeldBytes
  package let valueMemory: HeldBytes
  package let answerMemory: HeldBytes
  package let smallAnswerMemory: HeldBytes
  package let fileMemory: HeldBytes
  package let health = Health()
  /// The threads of requests; nil: they stay where they begin.
  let workers: Workers?
  /// Development mode's credentials.
  package let development: Development
  /// Opens `/_brume/admin/…`; only the data folder's owner can read it.
  package let adminToken: String
  /// The data folder, locked; nil in tests.
  package let folder: DataFolder?
  let mailboxDelivery: MailboxDelivery
  let passwords: PasswordVerifier
  let auditLog: AuditLog
  let snapshots: Snapshots
  let restores: RestoreInPlace
  /// How the server is asked to start anew.
  package let restart = Restart()
  /// Nil: nobody signs in by a provider.
  let provider: OpenIDProvider?
  /// Nil: the server speaks plain HTTP.
  package let identities: TLSIdentities?
  /// How what nobody asked for waits for the store.
  let storeRetry: StoreRetry
  /// What is measured for traces; off unless they are sent somewhere.
  let spans: Spans
  /// Nil: they are not.
  let exporter: OTLPExporter?
  /// How many lines of the log were lost; nil: nobody counts them.
  let lostLogLines: (@Sendable () -> Int64)?
  let providerCalls: ProviderCalls

  /// Opens the store that the settings name.
  ///
  /// - Parameters:
  ///   - folder: locked until the process ends; nil keeps nothing but the store.
  ///   - users: whom development mode makes.
  ///   - workers: the threads of requests; nil leaves them where they begin, for simulations in one thread.
  ///   - wrapping: what tests put around the store.
  ///   - lostLogLines: how many lines of the log were lost; nil if nobody counts them.
  /// - Throws: a `StoreError` or an `AssetFailure` if a store cannot be opened, a `SettingError` if the files
  ///   of TLS cannot be used.
  package init(
    settings: Settings, folder: DataFolder?, users: [String] = Development.defaultUsers,
    host given: Host = .real, logger: Logger, workers: Workers? = .shared,
    wrapping: (any Store) -> any Store = { $0 }, lostLogLines: (@Sendable () -> Int64)? = nil
  ) async throws {
    let limits = settings.limits
    let clock = ServerClock(settings, given)
    let host = clock.host
    self.settings = settings
    (self.clock, self.host) = (clock, host)
    self.logger = logger
    self.lostLogLines = lostLogLines
    (self.workers, self.folder) = (workers, folder)
    address = ServerAddress(settings)
    events = ConsoleEvents(most: limits.consoleStreams)
    identities = try settings.tls.map { try TLSIdentities($0) }
    exporter = Self.exporter(settings, host)
    spans = exporter?.spans ?? .off
    storeRetry = StoreRetry(logger)
    assets = try settings.openAssets(host)
    if let folder { Self.removeUnfinishedCopies(in: folder.path) }
    let files = try settings.place(of: assets, host)
    let opened = wrapping(try settings.openStore(clock, logger, in: folder, filesIn: files))
    store = spans.isOn ? TracedStore(inner: opened, spans: spans) : opened
    let streams = StreamHub(sendingWith: StreamConnection.take)
    let signals = MailboxSignals()
    engine = try await Self.engine(
      store, assets, limits, host, DeviceRemovals(streams, signals), StoreRefusals(health, logger),
      logger)
    usage = Usage(
      keptIn: settings.engine == .memory ? nil : folder, limits: limits, now: host.now)
    requestLog = RequestLog(capacity: limits.requestLogLines)
    metrics = ServerMetrics(usage: usage)
    deliveries = try await Deliveries(
      engine: engine, store: store, settings: settings, host: host,
      clock: clock.waiting(for: "sending pushes: retries, and a look through the store"),
      metrics: metrics, events: events, spans: spans)
    let delivery = ServerDelivery(
      streams: streams, signals: signals,
      inFlight: InFlightEntries(capacity: limits.deliveryLanes), worker: deliveries.worker,
      events: events)
    mailboxDelivery = MailboxDelivery(
      delivery, engine: engine, store: store, settings: settings, clock: clock, host: host,
      logger: logger)
    notifiers = Self.notifiers(
      engine, store: store, untraced: opened, mailboxDelivery.ofNotifiers, spans, limits, host)
    fetches = LastFetches(capacity: limits.deliveryLanes, since: host.now())
    rates = RateLimits(settings.rates, limits: limits, leases: store.leases, host: host)
    requestShares = RequestShares(limits)
    connectionShares = ConnectionShares(most: settings.connectionsPerAddress)
    streamPlaces = StreamPlaces(settings)
    (bodyMemory, valueMemory) = (HeldBytes.ofBodies(limits), HeldBytes.ofValues(limits))
    answerMemory = .ofAnswers(limits)
    smallAnswerMemory = .ofSmallAnswers(limits)
    fileMemory = .ofFiles(limits)
    passwords = PasswordVerifier(
      accounts: engine.accounts,
      attempts: Attempts(limits: limits, shared: store.sharedAttempts, host: host), limits: limits)
    auditLog = AuditLog(engine.audit, limits: limits, host: host, logger: logger)
    snapshots = Snapshots(
      of: store, in: folder?.path, limits: limits, host: host, logger: logger)
    restores = try await Self.restores(settings, folder, engine.audit, restart, host, logger)
    provider = try settings.provider.map {
      try OpenIDProvider(settings: $0, limits: limits, host: host)
    }
    providerCalls = ProviderCalls(limits: limits, host: host)
    adminToken = Hex.text(host.randomBytes(32))
    development = Development(
      engine: engine, store: store, address: address, folder: folder, users: users)
  }

  private static func engine(
    _ store: any Store, _ assets: any AssetStore, _ limits: Limits, _ host: Host,
    _ deviceRemovals: DeviceRemovals, _ refusals: StoreRefusals, _ logger: Logger
  ) async throws -> Engine {
    try await Engine(
      store: store, assets: assets, limits: limits, host: host, deviceRemovals: deviceRemovals,
      refusals: refusals
    ) { reason in
      logger.warning(
        """
        the generation is raised, because the store may lack what was acknowledged: change tokens of before are \
        expired, so clients fetch everything once, and no change tag is used again
        """,
        metadata: ["store.reason": "\(reason)"])
    }
  }

  /// Of the store: a database on the same disk may need their room to be opened at all.
  private static func removeUnfinishedCopies(in folder: String) {
    Snapshots.removeUnfinished(in: "\(folder)/\(Snapshots.folderName)")
    // One that is wanted stays.
    try? RestoreFolder(in: folder).clear()
  }

  private static func restores(
    _ settings: Settings, _ folder: DataFolder?, _ audit: Audit, _ restart: Restart, _ host: Host,
    _ logger: Logger
  ) async throws -> RestoreInPlace {
    RestoreInPlace(
      settings, in: folder, restored: try await restored(folder, audit), restart: restart,
      host: host, logger: logger)
  }

  /// What this start has taken up; it now has its line in the audit log, which came with it.
  private static func restored(
    _ folder: DataFolder?, _ audit: Audit
  ) async throws -> BackupSummary? {
    guard let place = folder.map({ RestoreFolder(in: $0.path) }), let note = place.taken() else {
      return nil
    }
    var act = Audit.Act(
      operatorName: note.operatorName, address: note.address, requestID: note.requestID,
      action: "backups/restore/apply")
    act.subject = note.backup.id
    try await audit.begin(act)
    try await audit.finish(act, status: 200)
    place.forgetTaken()
    return note.backup
  }

  /// What clients write in front of a path.
  package var url: String { address.url }

  var targets: CallTargets { mailboxDelivery.targets }
  var delivery: ServerDelivery { mailboxDelivery.delivery }
  var pushFaults: PushFaults? { mailboxDelivery.pushFaults }

  /// The streams that are open.
  package var streams: StreamHub { delivery.streams }

  /// Faults to play; nil outside development.
  package var faults: FaultInjector? { pushFaults?.injector }

  /// Delivers the pushes that a fault held back; answers how many those are.
  ///
  /// - Throws: what the store throws.
  @discardableResult
  package func releasePushes() async throws -> Int { try await pushFaults?.release() ?? 0 }

  /// What of a device's entries really leaves for it, past the faults.
  ///
  /// - Throws: what the store throws.
  package func leaving(
    _ entries: [MailboxEntry], to device: DeviceKey
  ) async throws -> [MailboxEntry] {
    try await pushFaults?.leaving(entries, to: device) ?? entries
  }

  /// Brings what other processes put into mailboxes to the devices of this one, until cancelled; ends at once where
  /// there are no others.
  ///
  /// - Throws: what the store throws; `CancellationError`.
  package func followMailboxes() async throws { try await mailboxDelivery.tail?.run() }

  /// Nil: this process is the only one that has the store open.
  var accountTail: AccountTail? { mailboxDelivery.accounts }

  var signInAddress: SignInAddress { SignInAddress(signIns: engine.signIns, server: address) }

  var secureRequests: SecureRequests {
    SecureRequests(
      trustedProxies: settings.trustedProxies, baseURL: settings.baseURL,
      speaksTLS: identities != nil)
  }

  var operatorGate: OperatorGate {
    OperatorGate(
      authentication: engine.operatorAuthentication, adminToken: adminToken, server: address,
      secure: secureRequests, isDevelopment: settings.isDevelopment, auditLog: auditLog)
  }

  /// Nil: traces are not sent.
  private static func exporter(_ settings: Settings, _ host: Host) -> OTLPExporter? {
    settings.tracing.map {
      OTLPExporter(
        $0, version: Release.version, limits: settings.limits, randomBytes: host.randomBytes,
        sleep: { try await Task.sleep(for: $0) })
    }
  }

  /// - Parameter untraced: the store itself, which a traced fan-out measures in its own way.
  private static func notifiers(
    _ engine: Engine, store: any Store, untraced: any Store, _ delivery: any EntryDelivery,
    _ spans: Spans, _ limits: Limits, _ host: Host
  ) -> Notifiers {
    Notifiers(
      of: store, most: limits.notifiersAtOnce, pause: { try await Task.sleep(for: $0) }
    ) { bucket in
      let traced = spans.isOn ? TracedFanOut(untraced, delivery, spans, limits: limits) : nil
      return Notifier(
        of: bucket, engine: engine, store: traced?.tracedStore ?? store, host: host,
        encode: { PushPayload.encode($0) }, delivery: traced?.tracedDelivery ?? delivery,
        pause: { try await Task.sleep(for: $0) })
    }
  }

  /// The address of a new one-time link; nil if there are operators, who need none, and this is no
  /// development.
  ///
  /// - Throws: what the store throws.
  package func oneTimeLink() async throws -> String? {
    try await engine.operatorLinks.make(inDevelopment: settings.isDevelopment).map {
      AccessPage.link($0.secret, on: address)
    }
  }

  var signOut: SignOut { SignOut(engine.accounts, delivery) }

  var streamParts: StreamParts {
    StreamParts(
      hub: delivery.streams, places: streamPlaces, reads: mailboxDelivery.reads, metrics: metrics,
      now: host.now,
      time: clock.manual, limits: settings.limits, heartbeat: settings.timeouts.heartbeat,
      generation: engine.generation)
  }
}
