// A server that has slept knows less than the store: what it finds in mailboxes may be for somebody who signed out
// elsewhere meanwhile, or may not read it any more.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(1))) struct SleptServerTests {
  /// What a server knows when it has read a new entry.
  struct Knowledge: Sendable, CustomTestStringConvertible {
    let silence: Milliseconds
    let lastChange: Int64
    let noted: [String]
    var testDescription: String { "\(silence) ms ago, change \(lastChange)" }
  }

  @Test(arguments: [
    Knowledge(silence: 14_000, lastChange: 0, noted: ["end", "push"]),
    Knowledge(silence: 1001, lastChange: 0, noted: ["end", "push"]),
    Knowledge(silence: 0, lastChange: 5, noted: ["end", "push"]),
    // Nothing has happened, so nothing is asked.
    Knowledge(silence: 1000, lastChange: 0, noted: ["push"]),
  ])
  func `who signed out elsewhere is signed out here before anything that came meanwhile leaves`(
    _ knowledge: Knowledge
  ) async throws {
    let fixture = try await ServerFixture()
    let server = fixture.server
    let phone = DeviceKey(
      in: ServerFixture.containerEnvironment, user: fixture.user("alice"),
      device: DeviceID("phone"))
    let stream = NotingStream()
    server.streams.join(stream, as: phone)
    let accounts = AccountTail(
      ChangesOfOthers(user: phone.user, silence: knowledge.silence, knowledge.lastChange),
      server.signOut, server.engine.deviceRemovals)
    let (deliveries, delivered) = AsyncStream.makeStream(of: Void.self)
    let tail = MailboxTail(
      mailboxes: OneNewEntry(device: phone), leases: AlwaysOwned(),
      delivery: TestDelivery {
        server.streams.deliver($0.entries)
        delivered.yield()
      }, server: server.delivery, accounts: accounts, damaged: nil, now: { 0 })
    let following = Task { try await tail.run() }
    for await _ in deliveries { break }
    following.cancel()
    #expect(stream.noted.value == ["look"] + knowledge.noted)
  }

  /// All streams look when the following begins; a stream that looks again asks whether the entry may leave.
  @Test(arguments: [(5000, "push"), (5001, "look"), (14_000, "look")])
  func `what is read long after it was decided is not handed to streams as it is:`(
    now: Milliseconds, noted: String
  ) async throws {
    let server = try await ServerFixture().server
    let phone = DeviceKey(
      in: ServerFixture.containerEnvironment, user: UserID("_a1"), device: DeviceID("phone"))
    let stream = NotingStream()
    server.streams.join(stream, as: phone)
    let tail = MailboxTail(
      mailboxes: OneNewEntry(device: phone), leases: AlwaysOwned(), delivery: server.delivery,
      server: server.delivery, accounts: nil, damaged: nil, now: { now })
    let following = Task { try await tail.run() }
    while stream.noted.value.count < 2 { await Task.yield() }
    following.cancel()
    #expect(stream.noted.value == ["look", noted])
  }

  @Test func `after a failure a server goes on behind the last change that has taken effect`()
    async throws
  {
    let server = try await ServerFixture().server
    let changes = FailingChanges()
    let accounts = AccountTail(changes, server.signOut, server.engine.deviceRemovals)
    for _ in 0..<2 {
      await #expect(throws: StoreError.self) { try await accounts.run() }
    }
    #expect(changes.asked.value == [0, 7, 7])
  }

  @MainActor
  @Test func `those who ask while a look is under way share the next one`() async throws {
    let fixture = try await ServerFixture()
    let changes = SlowChanges()
    let accounts = AccountTail(
      changes, fixture.server.signOut, fixture.server.engine.deviceRemovals)
    // Each runs until it waits before the next begins, as all are on one actor.
    var asking = [Task { try await accounts.catchUp() }]
    while changes.asked.value < 1 { await Task.yield() }
    asking += (0..<10).map { _ in Task { try await accounts.catchUp() } }
    while changes.silences.value < 11 { await Task.yield() }
    changes.open.yield()
    changes.open.yield()
    for task in asking { try await task.value }
    #expect(changes.asked.value == 2)
  }

  @MainActor
  @Test(arguments: [true, false])
  func `who gives up leaves the work to the next, and a failure is for all`(
    isCancelled: Bool
  ) async throws {
    let (work, began, joined) = (SharedWork(), Mutexed(0), Mutexed(0))
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    func ask() -> Task<Bool, Never> {
      Task {
        joined.change { $0 += 1 }
        do {
          try await work.run {
            began.change { $0 += 1 }
            let number = began.value
            for await _ in opened { break }
            if number == 2 {
              throw isCancelled ? CancellationError() : StoreError(.unreachable, "")
            }
          }
          return true
        } catch {
          return false
        }
      }
    }
    let first = ask()
    while began.value < 1 { await Task.yield() }
    let others = (0..<5).map { _ in ask() }
    while joined.value < 6 { await Task.yield() }
    for _ in 0..<3 { open.yield() }
    #expect(await first.value)
    var succeeded = 0
    for other in others where await other.value { succeeded += 1 }
    #expect(succeeded == (isCancelled ? 4 : 0))
    #expect(began.value == (isCancelled ? 3 : 2))
  }
}

/// A store that answers when it is let.
private final class SlowChanges: SharedAccounts {
  let lastChange: Int64 = 0
  let asked = Mutexed(0)
  let silences = Mutexed(0)
  let open: AsyncStream<Void>.Continuation
  private let opened: AsyncStream<Void>

  init() { (opened, open) = AsyncStream.makeStream() }

  var silence: Milliseconds {
    silences.change { $0 += 1 }
    return 5000
  }

  func accountHints() -> CommitHints { CommitSignals().hints() }
  func changedAccounts(after last: Int64) async throws -> ChangedAccounts {
    asked.change { $0 += 1 }
    for await _ in opened { break }
    return ChangedAccounts(users: [], last: 0)
  }
}

/// A store that answers once, says that something else has changed, and cannot be reached any more.
private final class FailingChanges: SharedAccounts {
  let silence: Milliseconds = 0
  let lastChange: Int64 = 0
  let asked = Mutexed<[Int64]>([])
  private let signals = CommitSignals()

  func accountHints() -> CommitHints {
    let hints = signals.hints()
    signals.signal([.only])
    return hints
  }

  func changedAccounts(after last: Int64) async throws -> ChangedAccounts {
    asked.change { $0.append(last) }
    guard asked.value.count == 1 else { throw StoreError(.unreachable, "") }
    return ChangedAccounts(users: [], last: 7)
  }
}

/// A stream that notes what reaches it.
private final class NotingStream: StreamListener {
  let noted = Mutexed<[String]>([])
  let hasCaughtUp = true
  func take(_ entries: [MailboxEntry]) { noted.change { $0.append("push") } }
  func look() { noted.change { $0.append("look") } }
  func acknowledged(through position: Int64) {}
  func lookForDevice() {}
  func end(because error: BrumeError?) { noted.change { $0.append("end") } }
}

/// Another process has signed a user out, with change number 5.
private struct ChangesOfOthers: SharedAccounts {
  let user: UserID
  let silence: Milliseconds
  let lastChange: Int64

  init(user: UserID, silence: Milliseconds, _ lastChange: Int64) {
    (self.user, self.silence, self.lastChange) = (user, silence, lastChange)
  }

  func accountHints() -> CommitHints { CommitSignals().hints() }
  func changedAccounts(after last: Int64) async throws -> ChangedAccounts {
    ChangedAccounts(users: last < 5 ? [user] : [], last: 5)
  }
}

/// Mailboxes into which one entry has come.
final class OneNewEntry: SharedMailboxes {
  private let signals = CommitSignals()
  private let device: DeviceKey
  private let channel: Device.Channel.Kind

  init(device: DeviceKey, channel: Device.Channel.Kind = .stream) {
    (self.device, self.channel) = (device, channel)
  }

  func mailboxHints() -> CommitHints {
    let hints = signals.hints()
    signals.signal([.only])
    return hints
  }

  func lastMailboxPositions() async throws -> [Bucket: Int64] { [.only: 0] }

  func newEntries(
    in bucket: Bucket, after position: Int64, limit: Int
  ) async throws -> [NewMailboxEntry] {
    guard position == 0 else { return [] }
    let entry = MailboxEntry(
      position: 1, notificationID: "n", subscriptionID: "s", collapseID: nil, payload: [1],
      time: 0, requestID: "R")
    return [NewMailboxEntry(device: device, channel: channel, entry: entry)]
  }
}
