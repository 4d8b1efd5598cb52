// What one server consists of, put together: settings, store, rules, streams, metrics. The clock,
// identity and chance of the real machine enter here and nowhere below.

package import BrumeCore
package import BrumeDelivery
package import BrumeModel
package import BrumeNotifier
import BrumeOpenID
import BrumeSQLite
package import BrumeStorage
import BrumeWire
import Dispatch
package import Logging
import Synchronization

package final class Composition: Sendable {
  package let settings: Settings
  package let host: Host
  package let logger: Logger
  package let store: any Store
  package let assets: any AssetStore
  package let engine: Engine
  package let signals: MailboxSignals
  package let streams: StreamHub
  let reads = StreamReads()
  package let inFlight: InFlightEntries
  package let notifier: Notifier
  package let deliveries: Deliveries
  package let metrics: ServerMetrics
  package let rates: RateLimits
  package let requestShares: RequestShares
  package let connectionShares: ConnectionShares
  package let bodyMemory: BodyMemory
  let passwords: PasswordVerifier
  /// Nil: nobody signs in by a provider.
  let provider: OpenIDProvider?
  let providerCalls: ProviderCalls
  package let health = Health()
  /// What handlers, streams and the notifier call, with faults before it in development.
  let targets: CallTargets
  let mailboxes: MailboxSource
  /// Faults to play; nil outside development.
  package let faults: FaultInjector?
  /// The same for pushes.
  let pushFaults: PushFaults?
  /// Opens `/_brume/admin/…`; only the data folder's owner can read it.
  package let adminToken: String
  /// The data folder, locked; nil in tests.
  package let folder: DataFolder?
  /// The users that development mode makes.
  package let developmentUsers: [String]
  private let listeningPort: Mutex<Int>

  /// Opens the store that the settings name.
  ///
  /// - Parameter wrapping: what tests put around the store.
  package init(
    settings: Settings, folder: DataFolder?, users: [String] = Development.defaultUsers,
    host: Host = .real, logger: Logger, wrapping: (any Store) -> any Store = { $0 }
  ) async throws {
    self.settings = settings
    self.host = host
    self.logger = logger
    self.folder = folder
    developmentUsers = users
    store = wrapping(try Self.open(settings, host, logger))
    assets = try Self.openAssets(settings, host: host)
    engine = try await Engine(
      store: store, assets: assets, limits: settings.limits, host: host)
    let signals = MailboxSignals()
    self.signals = signals
    metrics = ServerMetrics()
    let deliveries = try await Deliveries(
      engine: engine, store: store, settings: settings, host: host, metrics: metrics)
    self.deliveries = deliveries
    let streams = StreamHub(sendingWith: StreamConnection.take)
    self.streams = streams
    let inFlight = InFlightEntries(capacity: settings.limits.deliveryLanes)
    self.inFlight = inFlight
    let mailboxes = MailboxSource(
      engine: engine, store: store, signals: signals, clock: PushClock(host))
    self.mailboxes = mailboxes
    let delivery = ServerDelivery(
      streams: streams, signals: signals, inFlight: inFlight, worker: deliveries.worker)
    let faults = settings.isDevelopment ? FaultInjector(limits: settings.limits) : nil
    self.faults = faults
    let targets = CallTargets(engine: engine, mailboxes: mailboxes, delivery: delivery)
    if let faults {
      let pushFaults = PushFaults(
        injector: faults, store: store, signals: signals, streams: streams,
        heldLimit: settings.limits.mailboxRows)
      self.pushFaults = pushFaults
      self.targets = targets.behind(faults, pushFaults, engine: engine)
    } else {
      pushFaults = nil
      self.targets = targets
    }
    notifier = Notifier(
      engine: engine, store: store, host: host, encode: { PushPayload.encode($0) },
      delivery: self.targets.delivery,
      pause: { try await Task.sleep(for: $0) })
    rates = RateLimits(settings.rates, limits: settings.limits, host: host)
    requestShares = RequestShares(settings.limits)
    connectionShares = ConnectionShares(most: settings.connectionsPerAddress)
    bodyMemory = BodyMemory(
      most: settings.limits.bodyBytesAtOnce, mostOfOne: settings.limits.bodyBytesAtOncePerAddress)
    passwords = PasswordVerifier(limits: settings.limits, host: host)
    provider = try settings.provider.map {
      try OpenIDProvider(settings: $0, limits: settings.limits, host: host)
    }
    providerCalls = ProviderCalls(limits: settings.limits, host: host)
    adminToken = Hex.text(host.randomBytes(32))
    listeningPort = Mutex(settings.port)
  }

  /// What clients write in front of a path.
  package var url: String { settings.url(port: port) }

  /// The same for commands on this machine: no proxy is asked, nor waited for.
  package var ownURL: String { settings.ownURL(port: port) }

  private var port: Int { listeningPort.withLock { $0 } }

  /// Development mode's credentials in a container, made when missing.
  package func readyMade(
    _ containerEnvironment: (container: ContainerID, environment: Environment)
  ) async throws -> ReadyMade {
    try await Development(server: self, folder: folder).prepare(
      users: developmentUsers, container: containerEnvironment.container,
      environment: containerEnvironment.environment)
  }

  /// Replaces the development schema of the settings' container.
  package func importSchema(_ text: String) async throws {
    try await engine.schemas.replace(
      by: text, in: settings.container, environment: .development)
  }

  /// These devices have pending entries: notifies whoever waits for them and whoever sends them.
  package func notify(_ devices: Set<DeviceKey>) {
    signals.signal(devices)
    for device in devices { streams.look(at: device) }
    deliveries.worker.hint(devices)
  }

  /// Delivers the pushes that a fault held back; answers how many those are.
  @discardableResult
  package func releasePushes() async throws -> Int { try await pushFaults?.release() ?? 0 }

  /// The listener's port is known.
  package func listening(on port: Int) {
    listeningPort.withLock { $0 = port }
    health.serving(true)
  }

  /// Ours: how long new records stay out of indexes after the last that came. In milliseconds.
  private static let indexRest = 2000

  private static func open(
    _ settings: Settings, _ host: Host, _ logger: Logger
  ) throws -> any Store {
    switch settings.engine {
    case .memory: MemoryStore(coders: .wireForm)
    case .sqlite:
      try SQLiteStore(
        folder: settings.dataFolder, coders: .wireForm, runID: host.uuid(),
        marks: settings.marksFolder,
        isCalledWithinRest: {
          $0.wait(timeout: .now() + .milliseconds(Self.indexRest)) == .success
        },
        nanoseconds: { Int64(clamping: DispatchTime.now().uptimeNanoseconds) }, logger: logger)
    }
  }
}

extension StoreCoders {
  /// Stored content has the wire's form, so that feeds copy bytes.
  package static let wireForm = StoreCoders(
    record: .wire, encodeSubscription: { Wire.encode($0) },
    decodeSubscription: { try Wire.subscription($0) })
}
