// A device of a user: what is on its disk, and the app that runs on it.

import BrumeClient
import BrumeKit
import BrumeModel
import Foundation

/// Sendable because a simulation has one thread.
final class Device: @unchecked Sendable {
  unowned let world: World
  let name: String
  let user: String
  let userID: UserID
  let token: String
  private(set) var transport: SimulatedTransport! = nil
  private(set) var container: CKContainer! = nil
  /// One for each database that is synced.
  private(set) var apps: [NotesApp] = []
  /// Carol has nothing of her own.
  var own: NotesApp? { apps.first { $0.database.databaseScope == .private } }
  var shared: NotesApp? { apps.first { $0.database.databaseScope == .shared } }
  let ownDisk = AppDisk()
  let sharedDisk = AppDisk()
  private(set) lazy var hand = Hand(self)
  /// How often its user has signed out.
  private(set) var signOuts = 0
  /// How far the wall clock is off, in milliseconds.
  var skew: Milliseconds = 0

  init(_ world: World, _ name: String, _ user: String, _ userID: UserID, _ token: String) {
    self.world = world
    self.name = name
    self.user = user
    self.userID = userID
    self.token = token
  }

  /// The app begins, with what is on the disk.
  func startApp() {
    let old = transport
    transport = SimulatedTransport(world, self, token: token)
    transport.isSignedIn = old?.isSignedIn ?? true
    transport.isCutUntil = old?.isCutUntil ?? 0
    let settings = BrumeClient.Configuration(
      url: "http://sim", in: world.containerEnvironment, apiToken: world.apiToken,
      userToken: "account",
      deviceID: DeviceID(name))
    var host = Session.Host()
    host.isSingleThreaded = true
    host.now = { [unowned self] in
      Date(timeIntervalSince1970: 1_795_176_000 + Double(self.world.now + self.skew) / 1000)
    }
    container = Brume.container(settings, transport: transport, host: host)
    if !transport.isSignedIn { container.accountChanged(isSignedOut: true) }
    apps = []
    if user != "carol" { apps.append(NotesApp(self, container.privateCloudDatabase, ownDisk)) }
    if user != "alice" { apps.append(NotesApp(self, container.sharedCloudDatabase, sharedDisk)) }
    world.note("\(name) started")
  }

  /// The app ends as it is.
  func killApp() {
    world.note("\(name) killed")
    for app in apps { app.end() }
    transport.isDead = true
    transport.cut(for: 0)
  }

  func restartApp() {
    killApp()
    startApp()
  }

  func signOut() {
    world.note("\(name) signs out")
    signOuts += 1
    for app in apps { app.accountLeaves() }
    transport.isSignedIn = false
    transport.cut(for: 0)
    container.accountChanged(isSignedOut: true)
  }

  func signIn() {
    world.note("\(name) signs in")
    transport.isSignedIn = true
    container.accountChanged()
  }
}

/// What an app keeps: its notes, what it has to send, and the engine's state.
/// Sendable because a simulation has one thread.
final class AppDisk: @unchecked Sendable {
  struct Note {
    /// Words, each of an edit, in order.
    var text: String
    /// As the server had it last.
    var record: CKRecord?
  }
  var notes: [CKRecord.ID: Note] = [:]
  /// Zones that the engine has fetched or saved.
  var zones: Set<CKRecordZone.ID> = []
  /// Notes that were changed here and not saved by the server yet.
  var changed: Set<CKRecord.ID> = []
  /// The same for deletions.
  var deleted: Set<CKRecord.ID> = []
  var state: CKSyncEngine.State.Serialization?
  /// The sign-outs of the device that the app was notified of.
  var knownSignOuts = 0
}
