// What a container and its databases share: the session, the queue of their operations, and the
// current user's name once known. The session changes when somebody signs in or out.

import BrumeClient
import BrumeModel
import Foundation
import Synchronization

// Sendable because everything that can change is behind a mutex; the queue takes operations from any
// thread, but Foundation on Linux does not say so.
final class Connection: @unchecked Sendable {
  private struct State {
    var session: Session
    var user: String?
    /// Whether the server takes the account; nil: it was not asked yet, or answered otherwise.
    var isAccepted: Bool?
    /// What the app may know it by.
    var containers: [Known] = []
    /// Counts the accounts, so that an answer to one is not taken for another's.
    var account = 0
    /// Nobody is there, whatever the settings say.
    var isSignedOut = false

    /// Who the user is has to be asked again.
    mutating func changeAccount(isAccepted: Bool?) {
      user = nil
      self.isAccepted = isAccepted
      account += 1
    }
  }
  /// A container, for as long as the app has it.
  private struct Known {
    weak var container: CKContainer?
  }
  private let queue = OperationQueue()
  /// The pushes to sync engines.
  let enginePushes = EnginePushes()
  private let state: Mutex<State>

  init(_ session: Session) { state = Mutex(State(session: session)) }

  /// The account for which a task sends something: nothing of it is sent for another (case ACC-07).
  struct Sender: Sendable {
    let connection: ObjectIdentifier
    let account: Int
    @TaskLocal static var current: Sender?
  }

  /// What calls are sent through now. None are, for a task that sends for an account which is gone.
  var session: Session {
    let sender = Sender.current.flatMap { $0.connection == ObjectIdentifier(self) ? $0 : nil }
    return state.withLock { state in
      if sender == nil || sender?.account == state.account { return state.session }
      return Session(
        .failure(.notConfigured("the account changed")), transport: state.session.transport,
        host: state.session.host)
    }
  }

  /// Begins an operation, or any work of the container's queue, when it is its turn.
  func add(_ operation: Operation) {
    if session.host.isSingleThreaded { operation.start() } else { queue.addOperation(operation) }
  }

  /// Another number after each change of the account.
  var account: Int { state.withLock { $0.account } }

  /// Whether the server does not take the account.
  var isRefused: Bool { state.withLock { $0.isAccepted == false } }

  /// What calls are sent through now, and the account that it is of.
  var signedIn: (session: Session, account: Int) { state.withLock { ($0.session, $0.account) } }

  /// Whether the program has a user, whatever the server says of it.
  var hasUser: Bool {
    state.withLock { !$0.isSignedOut && (try? $0.session.configuration.get())?.userToken != nil }
  }

  /// Whose long-lived operations are written down now. Asks nobody.
  var owner: OperationArchive.Owner {
    state.withLock { state in
      OperationArchive.Owner(
        account: (try? state.session.configuration.get())?.account, user: state.user)
    }
  }

  /// The current user's record name; nil without an account.
  ///
  /// - Throws: why the server could not be asked.
  func me() async throws -> String? {
    let (session, known, account) = state.withLock { ($0.session, $0.user, $0.account) }
    if let known { return known }
    if (try? session.configuration.get())?.userToken == nil { return nil }
    guard let name = try await session.currentUser().user?.name else { return nil }
    isUser(name, account)
    return name
  }

  /// Somebody learned who the current user is; not news if the account has changed since.
  func isUser(_ name: String, _ account: Int) {
    state.withLock {
      guard $0.account == account else { return }
      $0.user = name
      $0.isAccepted = true
    }
  }

  /// The server answered a request of an account. One that it refused before has to be asked for by name, so that an
  /// account which only some requests can use is lost once.
  func accepted(_ account: Int) {
    state.withLock {
      guard $0.account == account, $0.isAccepted == nil,
        (try? $0.session.configuration.get())?.userToken != nil
      else { return }
      $0.isAccepted = true
    }
  }

  /// The account changed.
  func forgetUser(isSignedOut: Bool) {
    state.withLock {
      $0.changeAccount(isAccepted: nil)
      $0.isSignedOut = isSignedOut
    }
  }

  /// The server refused an account: true if it is the present one, and was good before.
  func lostUser(of account: Int?) -> Bool {
    state.withLock {
      guard $0.account == account, $0.isAccepted == true else { return false }
      $0.changeAccount(isAccepted: false)
      return true
    }
  }

  /// Notifies the app that the account may have changed, once for each container: it may wait for a notification of
  /// any. Where the app has kept none, a database of it may be in use, and no other container is concerned.
  func postAccountChange() {
    let containers = state.withLock { $0.containers.compactMap(\.container) }
    // What observers begin is not sent for the account that is gone.
    Sender.$current.withValue(nil) {
      for object in containers.isEmpty ? [self] : containers as [AnyObject] {
        NotificationCenter.default.post(name: .CKAccountChanged, object: object)
      }
    }
  }

  /// Whether a notification about an account is about this one. Apps may post one without a container.
  func isConcerned(by notification: Foundation.Notification) -> Bool {
    switch notification.object {
    case let container as CKContainer: container.connection === self
    case let connection as Connection: connection === self
    default: true
    }
  }

  /// The app has a container of this connection.
  func belongs(to container: CKContainer) {
    let others = state.withLock { state in
      let others = state.containers.compactMap(\.container)
      state.containers = (others + [container]).map { Known(container: $0) }
      return others
    }
    // One that ends meanwhile ends here, and not while the state is locked: its class may be the app's.
    withExtendedLifetime(others) {}
  }

  /// Somebody signs in; nil: nobody is signed in any more.
  func signIn(_ userToken: String?) {
    state.withLock {
      guard case .success(var settings) = $0.session.configuration else { return }
      settings.userToken = userToken
      $0.isSignedOut = false
      let old = $0.session
      $0.session = Session(settings, transport: old.transport, host: old.host)
      $0.changeAccount(isAccepted: nil)
    }
  }
}
