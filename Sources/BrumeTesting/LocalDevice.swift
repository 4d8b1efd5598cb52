// What a test has made, by name: devices and users.

import BrumeCore
import BrumeKit
import BrumeModel
import BrumeStorage
import Synchronization

/// A device that the test made.
struct LocalDevice: Sendable {
  /// Whose account it has; nil for none.
  var user: String?
  let stateDirectory: String?
  /// That of the process that runs on it.
  var transport: LocalTransport
  var container: CKContainer
  /// Pushes that have left for it, which the test has not taken.
  var pushes: [MailboxEntry] = []
  /// Brings what waits to `pushes`. Two at once would read the same.
  let receiving = SharedWork()

  /// The container, for somebody who takes the device to be a user's.
  func container(named name: String, of user: String?) throws(OtherUsersDevice) -> CKContainer {
    if self.user != user { throw OtherUsersDevice(name: name, user: self.user) }
    return container
  }

  /// The push and those before it are gone. Answers false if they were gone before.
  mutating func take(through push: MailboxEntry) -> Bool {
    guard let index = pushes.firstIndex(of: push) else { return false }
    pushes.removeFirst(index + 1)
    return true
  }
}

/// The users of a server, by name.
final class KnownUsers: Sendable {
  private let users = Mutex<[String: UserID]>([:])

  var all: [String: UserID] { users.withLock { $0 } }

  subscript(name: String) -> UserID? {
    get { users.withLock { $0[name] } }
    set { users.withLock { $0[name] = newValue } }
  }
}

/// A device that ``LocalServer/device(_:of:stateDirectory:)`` never made.
public struct UnknownDevice: Error, CustomStringConvertible {
  /// The name that was asked for.
  public let name: String
  public var description: String { "there is no device '\(name)'; make it with device(_:of:)" }
}

/// A device that was asked for as one user's has another account, or none.
public struct OtherUsersDevice: Error, CustomStringConvertible {
  /// The name that was asked for.
  public let name: String
  /// Whose account the device has; nil: nobody's.
  public let user: String?
  public var description: String {
    "the device '\(name)' has \(user.map { "the account of '\($0)'" } ?? "no account"); name the new "
      + "device otherwise, or change the account with signIn(_:as:)"
  }
}

/// A user whom the test has not named before.
public struct UnknownUser: Error, CustomStringConvertible {
  /// The name that was asked for.
  public let name: String
  public var description: String {
    "there is no user '\(name)'; make a device of that user with device(_:of:) first"
  }
}
