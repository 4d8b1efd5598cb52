// The two time limits of operations.

import BrumeClient
import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

/// Answers pages without end; each takes a minute, and the first few are lost on the way. Remembers how long it was given.
private final class SlowServer: Transport {
  private let lost: Int
  private let time = Mutex(Date(timeIntervalSince1970: 0))
  private let given = Mutex<[HTTPCall]>([])
  var timeouts: [Duration] { given.withLock { $0.map(\.timeout) } }
  var wholeTimeouts: [Duration] { given.withLock { $0.map(\.wholeTimeout) } }

  init(losing lost: Int = 0) { self.lost = lost }

  func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    let number = given.withLock { given in
      given.append(call)
      return given.count
    }
    time.withLock { $0 += 60 }
    if number <= lost { throw CallFailure.responseLost("the connection ended") }
    let page = DatabaseChangesPage(zones: [], token: "\(number)", moreComing: true)
    return HTTPAnswer(status: 200, body: Wire.databaseChanges(page))
  }

  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? { nil }

  var database: CKDatabase { database(.private) }

  func database(_ scope: CKDatabase.Scope) -> CKDatabase {
    let settings = Configuration(
      url: "http://slow", in: ContainerEnvironment(ContainerID("iCloud.test"), .development),
      apiToken: "t", userToken: "u")
    let host = Session.Host(now: { self.time.withLock { $0 } }, sleep: { _ in })
    return CKContainer(
      connection: Connection(Session(settings, transport: self, host: host)), identifier: nil
    ).database(with: scope)
  }
}

@Suite struct TimeoutTests {
  @Test func `an operation ends when its time for the whole is used up`() async {
    let (server, journal) = (SlowServer(), Journal())
    let operation = CKFetchDatabaseChangesOperation()
    operation.timeoutIntervalForResource = 180
    operation.database = server.database
    operation.changeTokenUpdatedBlock = { journal.note($0.text) }
    operation.fetchDatabaseChangesResultBlock = { journal.note(outcome($0)) }
    await finish(operation)
    #expect(journal.all == ["1", "2", "3", "networkFailure"])
  }

  @Test func `no request gets more time than is left for the whole, unless somebody waits`() async {
    func asked(_ quality: QualityOfService) async -> SlowServer {
      let server = SlowServer()
      let operation = CKFetchDatabaseChangesOperation()
      operation.qualityOfService = quality
      operation.timeoutIntervalForResource = 90
      operation.database = server.database
      operation.changeTokenUpdatedBlock = {
        if $0.text == "3" { operation.cancel() }
      }
      await finish(operation)
      return server
    }
    let byDefault = await asked(.default)
    #expect(byDefault.timeouts == [.seconds(60), .seconds(30)])
    // Nor when its answer does not end.
    #expect(byDefault.wholeTimeouts == [.seconds(90), .seconds(30)])
    // A request that began before the operation was cancelled may come behind the three.
    let ofWhoWaits = await asked(.userInitiated)
    #expect(ofWhoWaits.timeouts.count >= 3 && Set(ofWhoWaits.timeouts) == [.seconds(60)])
    #expect(Set(ofWhoWaits.wholeTimeouts) == [.seconds(31_536_000)])
  }

  @Test func `a request that is sent again gets what the first try has left of the time`() async {
    for (seconds, wholeTimeouts, code) in [
      (90.0, [Duration.seconds(90), .seconds(30)], "ok"), (60, [.seconds(60)], "networkFailure"),
    ] {
      let (server, journal) = (SlowServer(losing: 1), Journal())
      let operation = CKFetchDatabaseChangesOperation()
      operation.fetchAllChanges = false
      operation.timeoutIntervalForResource = seconds
      operation.database = server.database
      operation.fetchDatabaseChangesResultBlock = { journal.note(outcome($0)) }
      await finish(operation)
      #expect(server.wholeTimeouts == wholeTimeouts)
      #expect(journal.all == [code])
    }
  }

  @Test func `the question for the user gets the operation's time too`() async {
    let server = SlowServer()
    let operation = CKFetchDatabaseChangesOperation()
    operation.fetchAllChanges = false
    operation.timeoutIntervalForRequest = 2
    operation.database = server.database(.shared)
    await finish(operation)
    #expect(server.timeouts == [.seconds(2)], "no user is named, which ends the operation")
  }

  @Test func `requests get the time that the operation or its group says, else a minute`() async {
    func timeout(_ set: (CKOperation) -> Void) async -> Duration? {
      let server = SlowServer()
      let operation = CKFetchDatabaseChangesOperation()
      operation.fetchAllChanges = false
      set(operation)
      operation.database = server.database
      await finish(operation)
      return server.timeouts.first
    }
    #expect(await timeout { _ in } == .seconds(60))
    #expect(await timeout { $0.timeoutIntervalForRequest = 7 } == .seconds(7))
    let year = Duration.seconds(31_536_000)
    #expect(
      await timeout {
        $0.timeoutIntervalForRequest = .infinity
        $0.timeoutIntervalForResource = .infinity
      } == year)
    #expect(await timeout { $0.timeoutIntervalForRequest = -1 } == .zero)
    let group = CKOperationGroup()
    let defaults = CKOperation.Configuration()
    defaults.timeoutIntervalForRequest = 8
    group.defaultConfiguration = defaults
    #expect(await timeout { $0.group = group } == .seconds(8))
  }
}
