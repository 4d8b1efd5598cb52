// Changes to accounts, credentials and roles, as other processes learn of them: each has a number, in the order
// of commits, under the lock of what belongs to no bucket.

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
  func note(_ user: UserID) throws {
    let number = try locks.next(Locks.server)
    session.put([.integer(number), .text(user.name), .text(process)], in: Self.table)
    session.run(Self.trim, [.integer(number - Self.kept)])
  }

  /// The number of the last change.
  func last() throws -> Int64 { try session.first(Self.findLast) { $0.integer(0) } ?? 0 }

  /// Users whose accounts other processes changed after the change with number `last`. Nil: not all of them are known any
  /// more. Who asks for the first time has no sessions of before.
  func users(after last: Int64) throws -> Set<UserID>? {
    if last > 0, try self.last() - Self.kept > last { return nil }
    return Set(try session.all(Self.find, [.integer(last), .text(process)]) { UserID($0.text(0)) })
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
