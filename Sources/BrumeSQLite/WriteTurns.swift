// The writes that wait, as a value: users take turns, however many writes each has waiting, and what is
// known to take long keeps nobody waiting that could be answered before. Each user's own writes keep their order.

import BrumeModel
import BrumeStorage
import DequeModule

struct WriteTurns<Job> {
  /// Ours: a server with more writes waiting answers no one in time.
  static var limit: Int { 65_536 }
  /// Ours: who wrote for longer is expected to do it again, when it was more than chance. In nanoseconds.
  static var long: Int64 { 5_000_000 }
  /// Ours: how long a write of whoever has lately kept the writer much has for itself before it gives way to those who have
  /// not. In nanoseconds.
  static var soon: Int64 { 1_000_000 }
  /// Ours: so many long writes one after the other are: a thread that the system lets wait takes long once in a while.
  static var longInARow: Int { 2 }
  /// Ours: users that are remembered for it; with more all are forgotten, as some never write again.
  static var longUsersLimit: Int { 1024 }
  /// Ours: users that a group asks before it is committed.
  static var askedLimit: Int { 64 }

  /// Nil: the server itself.
  typealias User = UserID?

  private var lines: [User: Deque<Job>] = [:]
  /// Those with a line; whose turn it is comes first.
  private var order: Deque<User> = []
  /// How many long writes one after the other each of them had last.
  private var longUsers: [User: Int] = [:]
  /// How much each of them has lately kept the writer.
  private var recent = RecentWork()
  private(set) var count = 0
  /// Whose write was taken last.
  private var running: User = nil

  /// Whether one more write may wait.
  var hasRoom: Bool { count < Self.limit }

  /// In no order.
  var waiting: some Sequence<Job> { lines.values.joined() }

  /// To be asked first: `hasRoom`.
  mutating func add(_ job: Job, of user: User) {
    precondition(hasRoom, "more writes wait than may")
    if lines[user] == nil { order.append(user) }
    lines[user, default: []].append(job)
    count += 1
  }

  /// The next in turn.
  mutating func next() -> Job? { order.isEmpty ? nil : take(0) }

  /// The next for those that have begun and wait for their commit: the next in turn, past users whose writes
  /// take long. Nil if it is not accepted.
  mutating func nextToJoin(_ accepts: (Job) -> Bool) -> Job? {
    let asked = order.prefix(Self.askedLimit)
    guard let index = asked.firstIndex(where: { !isLong($0) }),
      let job = lines[order[index]]?.first, accepts(job)
    else { return nil }
    return take(index)
  }

  /// A user's write begins that has not waited here.
  mutating func begins(of user: User) { running = user }

  /// Nanoseconds that the write which was taken last has for itself before it gives way to those of somebody else that wait, who
  /// is not known for long ones, for which this is so; nil: nobody is kept waiting, and it goes on to its end.
  func patience(at now: @autoclosure () -> Int64, _ isSo: (Job) -> Bool) -> Int64? {
    // Each change of the queue asks: nobody is looked at behind the first who says it.
    let asked = order.prefix(Self.askedLimit)
    guard asked.contains(where: { isKept($0, isSo) }) else { return nil }
    let time = now()
    guard isMuch(running, time) else { return Self.long }
    return asked.contains { isKept($0, isSo) && !isMuch($0, time) } ? Self.soon : Self.long
  }

  /// The same for a user's write with which these wait for a commit. Those who all keep the writer much have time for
  /// themselves: they would undo one another's work.
  func patience(of user: User, with others: some Sequence<User>, at now: Int64) -> Int64 {
    let isSoon = isMuch(user, now) && others.contains { $0 != nil && !isMuch($0, now) }
    return isSoon ? Self.soon : Self.long
  }

  /// Whether the write that was taken last keeps this user's next one waiting, for which this is so.
  private func isKept(_ user: User, _ isSo: (Job) -> Bool) -> Bool {
    user != nil && user != running && !isLong(user) && lines[user]?.first.map(isSo) ?? false
  }

  private func isMuch(_ user: User, _ now: Int64) -> Bool {
    user.map { recent.isMuch(for: $0.name, now: now) } ?? false
  }

  /// One that was taken and has given way after so long: its user's turn is the last, and it is his next.
  mutating func putBack(_ job: Job, of user: User, nanoseconds: Int64, now: Int64) {
    expectLong(user, Self.longInARow)
    noteRecent(user, nanoseconds, now)
    if lines[user] == nil { order.append(user) }
    lines[user, default: []].prepend(job)
    count += 1
  }

  /// A user's write took so long.
  mutating func ran(_ user: User, nanoseconds: Int64, now: Int64) {
    noteRecent(user, nanoseconds, now)
    if nanoseconds < Self.long {
      longUsers[user] = nil
    } else {
      expectLong(user, (longUsers[user] ?? 0) + 1)
    }
  }

  private mutating func noteRecent(_ user: User, _ nanoseconds: Int64, _ now: Int64) {
    if let user { recent.add(nanoseconds, for: user.name, now: now) }
  }

  private func isLong(_ user: User) -> Bool { longUsers[user] ?? 0 >= Self.longInARow }

  private mutating func expectLong(_ user: User, _ inARow: Int) {
    if longUsers[user] == nil, longUsers.count >= Self.longUsersLimit { longUsers = [:] }
    longUsers[user] = inARow
  }

  /// Answers all that wait, users in the order of their turns, and forgets them.
  mutating func removeAll() -> [Job] {
    defer { self = WriteTurns() }
    return order.flatMap { lines[$0] ?? [] }
  }

  private mutating func take(_ index: Int) -> Job? {
    let user = order.remove(at: index)
    var line = lines.removeValue(forKey: user) ?? []
    guard let job = line.popFirst() else { return nil }
    running = user
    count -= 1
    if !line.isEmpty {
      lines[user] = line
      order.append(user)
    }
    return job
  }
}
