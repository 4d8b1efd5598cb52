// Changes to accounts, credentials and roles, and removals of devices, as other processes learn of them: each has a
// number, in the order of commits, under the lock of what belongs to no bucket.

import BrumeModel
import BrumeStorage

final class AccountChanges {
  /// Ours: changes that are kept for processes that have not looked.
  private static let kept: Int64 = 10_000

  private let session: Session
  private let locks: Locks
  private let process: String

  /// - Parameter process: whose changes these are.
  init(_ session: Session, _ locks: Locks, process: String) {
    self.session = session
    self.locks = locks
    self.process = process
  }

  /// Something changed that processes remember.
  func note() throws { _ = try locks.next(Locks.server) }

  /// A user's account changed: the user's sessions may have ended.
  func note(_ user: UserID) throws { try note(.account(user)) }

  /// An API token was removed: streams that it opened end.
  func noteRemovedToken(in place: ContainerEnvironment) throws { try note(.removedToken(place)) }

  /// A device was removed: its streams end.
  func noteRemoved(_ device: DeviceKey) throws {
    try session.requireCoordinator()
    try note(.removedDevice(device))
  }

  private func note(_ change: AccountChange) throws {
    let number = try locks.next(Locks.server)
    session.put([.integer(number), .text(change.text), .text(process)], in: Self.table)
    session.run(Self.trim, [.integer(number - Self.kept)])
  }

  /// What other processes than `process` changed after the change with number `last`. No users: not all of them are known
  /// any more. Who asks for the first time has no sessions of before.
  static func find(
    after last: Int64, but process: String, on connection: Connection
  ) throws(ServerError) -> ChangedAccounts {
    try connection.send(findLast)
    try connection.send(find, [.integer(last)])
    let answers = try connection.exchange()
    let newest = answers[0].first?.integer(0) ?? 0
    if last > 0, newest - kept > last { return ChangedAccounts(users: nil, last: newest) }
    let found = answers[1].map { row in
      (number: row.integer(0), change: AccountChange(row.text(1)), process: row.text(2))
    }
    // What has no row may be of credentials, and of roles.
    let removals = found.count { $0.number <= newest && $0.change.isRemovedDevice }
    return ChangedAccounts(
      found.filter { $0.process != process }.map(\.change), last: newest,
      concernsCredentials: last == 0 || Int64(removals) < newest - last)
  }

  private static let table = Table(
    "account_changes", key: [("number", .integer)],
    columns: [("user_id", .text), ("process", .text)])
  private static let trim = SQL("DELETE FROM account_changes WHERE number <= $1")
  private static let findLast = SQL(
    "SELECT last FROM buckets WHERE bucket = \(Locks.server.bucket)")
  private static let find = SQL(
    "SELECT number, user_id, process FROM account_changes WHERE number > $1")
}

extension ChangedAccounts {
  fileprivate init(_ changes: [AccountChange], last: Int64, concernsCredentials: Bool) {
    var users: Set<UserID> = []
    var places: Set<ContainerEnvironment> = []
    var devices: Set<DeviceKey> = []
    for change in changes {
      switch change {
      case .account(let user): users.insert(user)
      case .removedToken(let place): places.insert(place)
      case .removedDevice(let device): devices.insert(device)
      }
    }
    self.init(
      users: users, tokensRemovedIn: places, devicesRemoved: devices, last: last,
      concernsCredentials: concernsCredentials)
  }
}
