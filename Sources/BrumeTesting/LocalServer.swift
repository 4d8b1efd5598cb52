// A whole server inside a test process: the composition that `brume serve` runs, on the memory
// engine, with a clock that the test moves. Requests go through the same router and handlers as over
// the network, without a socket (`docs/decisions/0020-local-server-is-the-server.md`).

import BrumeClient
import BrumeCore
public import BrumeKit
import BrumeModel
import BrumeNotifier
import BrumeServer
import BrumeStorage
import Foundation
import Logging
import Synchronization

/// A server for one test, with users and devices by name.
///
/// ```swift
/// let server = try await LocalServer()
/// let phone = try await server.device("phone", of: "alice")
/// let laptop = try await server.device("laptop", of: "alice")
/// server.faults.add(.conflict.skipping(1), .error(.networkFailure), .expiredToken)
/// ```
///
/// It exists as long as somebody holds it or the container of one of its devices, and forgets everything
/// then.
///
/// Functions that name a device throw ``UnknownDevice`` if the test has made none of that name. What the
/// server's rules refuse is thrown as they say it.
public final class LocalServer: Sendable {
  /// What makes calls fail.
  public let faults: Faults
  /// The time of the server and of its devices. It stands still until ``ManualClock/advance(by:)``.
  public let clock: ManualClock
  let server: Composition
  let containerEnvironment: ContainerEnvironment
  private let apiToken: String
  private let running: RunningServer
  let users = KnownUsers()
  private let devices = Mutex<[String: LocalDevice]>([:])

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - containerIdentifier: the container of its devices.
  ///   - smallLimits: very small limits on batches and pages, to meet them with little data.
  public init(
    containerIdentifier: String = "iCloud.org.example.app", smallLimits: Bool = false
  ) async throws {
    var settings = Settings()
    settings.engine = .memory
    settings.isDevelopment = true
    settings.container = ContainerID(containerIdentifier)
    settings.limits = smallLimits ? .tiny : .apple
    // Pushes that wait for others would need the clock to move.
    settings.limits.coalescingWindow = 0
    // Its passwords end with it.
    settings.limits.passwordRounds = 16
    let clock = ManualClock()
    let server = try await Composition(
      settings: settings, folder: nil, users: [], host: .manual(clock), logger: Self.silent)
    self.clock = clock
    self.server = server
    containerEnvironment = ContainerEnvironment(settings.container, .development)
    faults = Faults(server, users)
    apiToken = try await server.engine.apiTokens.create(
      name: "tests", in: containerEnvironment, allowedOrigins: nil
    ).token
    running = RunningServer(server, name: server.host.uuid())
  }

  private static let silent: Logger = {
    var logger = Logger(label: "brume.local") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    return logger
  }()

  // MARK: Users and devices

  /// A device of a user, as an app sees it: its container. Asking again for the same device gives the
  /// same container.
  ///
  /// - Parameters:
  ///   - name: distinguishes the devices of the server, whoever has them.
  ///   - user: made when it is named first; nil is a device without an account.
  ///   - stateDirectory: a directory of the test's own for what `BRUME_STATE_DIR` keeps; without one
  ///     long-lived operations are as others. It counts when the device is named first.
  /// - Throws: ``OtherUsersDevice`` if the device of that name is not the user's.
  public func device(
    _ name: String, of user: String?, stateDirectory: String? = nil
  ) async throws -> CKContainer {
    if let known = devices.withLock({ $0[name] }) {
      return try known.container(named: name, of: user)
    }
    let transport = LocalTransport(running, token: try await token(of: user))
    let new = LocalDevice(
      user: user, stateDirectory: stateDirectory, transport: transport,
      container: container(of: name, stateDirectory, transport))
    let device = devices.withLock { devices in
      // Another task may have made it meanwhile.
      let device = devices[name] ?? new
      devices[name] = device
      return device
    }
    return try device.container(named: name, of: user)
  }

  /// The app on a device, started once.
  private func container(
    of device: String, _ stateDirectory: String?, _ transport: LocalTransport
  ) -> CKContainer {
    var settings = BrumeClient.Configuration(
      url: "http://local.server", in: containerEnvironment, apiToken: apiToken,
      userToken: "account", deviceID: DeviceID(device), stateDirectory: stateDirectory)
    if stateDirectory == nil { settings.assetDirectory = running.files(of: device) }
    let container = Brume.container(settings, transport: transport, host: .manual(clock))
    if transport.account == nil { container.accountChanged(isSignedOut: true) }
    return container
  }

  /// A device that was made before.
  func known(_ name: String) throws -> LocalDevice {
    guard let device = devices.withLock({ $0[name] }) else { throw UnknownDevice(name: name) }
    return device
  }

  /// Changes what is known of a device that was made before.
  func change<Value>(
    _ name: String, _ body: (inout LocalDevice) -> Value
  ) throws -> Value {
    let value = devices.withLock { devices in devices[name] == nil ? nil : body(&devices[name]!) }
    guard let value else { throw UnknownDevice(name: name) }
    return value
  }

  /// The names of the devices that were made so far, sorted.
  var deviceNames: [String] { devices.withLock { $0.keys.sorted() } }

  /// A program without a user, which speaks with a server-to-server key: it reaches the public
  /// database.
  public func program() async throws -> CKContainer {
    let pair = ServerKeyPair()
    let key = try await server.engine.serverKeys.create(
      name: "tests", publicKeyPEM: pair.publicKeyPEM, in: containerEnvironment)
    var settings = BrumeClient.Configuration(
      url: "http://local.server", in: containerEnvironment,
      serverKey: .init(id: key.id, privateKeyPEM: pair.privateKeyPEM))
    settings.assetDirectory = running.files(of: "program \(key.id)")
    let transport = LocalTransport(running, token: nil)
    return Brume.container(settings, transport: transport, host: .manual(clock))
  }

  /// Another process on the same device: the same user and name, and nothing remembered but what is
  /// in its state directory. For apps that are killed and started again: what the process before has not
  /// sent does not arrive any more, nothing comes to it, and its calls fail with `operationCancelled`.
  public func restartedDevice(_ name: String) throws -> CKContainer {
    let device = try known(name)
    device.transport.end()
    let transport = LocalTransport(running, token: device.transport.account)
    let container = container(of: name, device.stateDirectory, transport)
    try change(name) {
      $0.transport = transport
      $0.container = container
    }
    return container
  }

  /// The device's account goes: its calls fail with `notAuthenticated`, and `CKAccountChanged` is
  /// posted.
  public func signOut(_ device: String) throws { try setAccount(of: device, nil, token: nil) }

  /// Somebody signs in on the device, instead of whoever was before.
  public func signIn(_ device: String, as user: String) async throws {
    try setAccount(of: device, user, token: try await token(of: user))
  }

  private func setAccount(of name: String, _ user: String?, token: String?) throws {
    let device = try known(name)
    try change(name) {
      $0.user = user
      // They were for whoever was signed in before.
      $0.pushes = []
    }
    device.transport.account = token
    device.container.accountChanged(isSignedOut: token == nil)
  }

  private func token(of name: String?) async throws -> String? {
    guard let name else { return nil }
    return try await server.engine.webAuthTokens.issue(
      for: try await user(name).id, in: containerEnvironment, keep: true)
  }

  func user(_ name: String) async throws -> User {
    let known = try await server.engine.accounts.user(named: name)
    let user = if let known { known } else { try await newUser(name) }
    users[name] = user.id
    return user
  }

  private func newUser(_ name: String) async throws -> User {
    let accounts = server.engine.accounts
    do {
      return try await accounts.create(name: name, emailAddress: "\(name)@example.org")
    } catch {
      // Another task of the test may have made the user meanwhile.
      guard let user = try await accounts.user(named: name) else { throw error }
      return user
    }
  }

  /// Changes what others may know of a user, and by what they find the user to share with. A user has the
  /// address NAME@example.org and no name at first. What is nil stays; an empty text goes.
  ///
  /// - Parameters:
  ///   - user: made when it is named first.
  ///   - isDiscoverable: whether others find the user at all.
  /// - Throws: an error that says what is wrong, such as an address that another user has.
  public func setIdentity(
    of user: String, givenName: String? = nil, familyName: String? = nil,
    emailAddress: String? = nil, phoneNumber: String? = nil, isDiscoverable: Bool? = nil
  ) async throws {
    var change = Accounts.Change()
    change.givenName = givenName
    change.familyName = familyName
    change.emailAddress = emailAddress
    change.phoneNumber = phoneNumber
    change.isDiscoverable = isDiscoverable
    _ = try await server.engine.accounts.change(try await self.user(user).id, change)
  }

  // MARK: What happens to zones outside of the app

  /// Another program of the user deletes a zone.
  ///
  /// - Throws: ``UnknownUser``; an error that names the zone if it is not there.
  public func deleteZone(_ name: String, of user: String) async throws {
    try await remove(name, of: user, .deleted)
  }

  /// The user removes the app's data from iCloud in the settings.
  ///
  /// - Throws: ``UnknownUser``; an error that names the zone if it is not there.
  public func purgeZone(_ name: String, of user: String) async throws {
    try await remove(name, of: user, .purged)
  }

  /// The user resets end-to-end encrypted data: every custom zone goes.
  ///
  /// - Throws: ``UnknownUser``.
  public func resetEncryptedData(of user: String) async throws {
    try await remove("", of: user, .encryptedDataReset)
  }

  private func remove(
    _ zone: String, of name: String, _ reason: BrumeModel.Zone.Deletion
  ) async throws {
    guard let user = users[name] else { throw UnknownUser(name: name) }
    let caller = Caller(
      in: containerEnvironment, user: user,
      device: nil, kind: .user, requestID: "local")
    try await ZoneRemoval(server.engine).remove(ZoneID(name: zone), because: reason, as: caller)
  }

  // MARK: Pushes

  /// Returns when everything that was saved so far has been turned into pushes, and these wait for
  /// their devices.
  public func settle() async throws {
    let newest = try await server.store.read { try $0.log.lastPosition(in: .only) }
    let notifier = await server.notifiers.notifier(of: .only)
    while await notifier.status.position < newest {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// Delivers the pushes that ``Fault/heldPush`` held back. Answers how many.
  @discardableResult
  public func releasePushes() async throws -> Int { try await server.releasePushes() }
}
