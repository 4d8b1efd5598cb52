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
  func note(_ user: UserID) throws { try note(whose: user.name) }

  /// An API token was removed: streams that it opened end. Its place stands where users do, whose names have no space.
  func noteRemovedToken(in place: ContainerEnvironment) throws {
    try note(whose: "\(place.environment.rawValue) \(place.container.name)")
  }

  /// A device was removed: its streams end. It stands there too, its own name last, which may have spaces. Processes of
  /// versions before take it for a place that nobody has.
  func noteRemoved(_ device: DeviceKey) throws {
    try session.requireCoordinator()
    let place = "\(device.environment.rawValue) \(device.container.name)"
    try note(whose: "\(place) \(device.user.name) \(device.device.name)")
  }

  private func note(whose: String) throws {
    let number = try locks.next(Locks.server)
    session.put([.integer(number), .text(whose), .text(process)], in: Self.table)
    session.run(Self.trim, [.integer(number - Self.kept)])
  }

  /// What other processes than `process` changed after the change with number `last`. No users: not all of them are known
  /// any more. Who asks for the first time has no sessions of before.
  static func find(
    after last: Int64, but process: String, on connection: Connection
  ) throws(ServerError) -> ChangedAccounts {
    try connection.send(findLast)
    try connection.send(find, [.integer(last), .text(process)])
    let answers = try connection.exchange()
    let newest = answers[0].first?.integer(0) ?? 0
    if last > 0, newest - kept > last { return ChangedAccounts(users: nil, last: newest) }
    return all(answers[1], last: newest)
  }

  private static func all(_ rows: Rows, last: Int64) -> ChangedAccounts {
    var users: Set<UserID> = []
    var places: Set<ContainerEnvironment> = []
    var devices: Set<DeviceKey> = []
    for text in rows.map({ $0.text(0) }) {
      let parts = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        .map(String.init)
      guard parts.count > 1, let environment = Environment(rawValue: parts[0]) else {
        users.insert(UserID(text))
        continue
      }
      let place = ContainerEnvironment(ContainerID(parts[1]), environment)
      if parts.count == 4 {
        devices.insert(
          DeviceKey(in: place, user: UserID(parts[2]), device: DeviceID(parts[3])))
      } else {
        places.insert(place)
      }
    }
    return ChangedAccounts(
      users: users, tokensRemovedIn: places, devicesRemoved: devices, last: last)
  }

  private static let table = Table(
    "account_changes", key: [("number", .integer)],
    columns: [("user_id", .text), ("process", .text)])
  private static let trim = SQL("DELETE FROM account_changes WHERE number <= $1")
  private static let findLast = SQL(
    "SELECT last FROM buckets WHERE bucket = \(Locks.server.bucket)")
  private static let find = SQL(
    "SELECT user_id FROM account_changes WHERE number > $1 AND process <> $2")
}
