// Signing in and out while the program runs: ACC-01, ACC-04, ACC-06, ACC-07, ACC-09.

import BrumeClient
import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

/// Counts the posts about one container.
private final class Posts: Sendable {
  private struct Token: @unchecked Sendable { let object: any NSObjectProtocol }
  private let seen = Mutex(0)
  private let token = Mutex<Token?>(nil)
  var count: Int { seen.withLock { $0 } }

  init(_ container: CKContainer) {
    let object = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: container, queue: nil
    ) { [weak self] _ in self?.seen.withLock { $0 += 1 } }
    let new = Token(object: object)
    token.withLock { $0 = new }
  }

  /// Counts the posts that are about a connection.
  init(_ connection: Connection) {
    let object = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) { [weak self] in
      if connection.isConcerned(by: $0) { self?.seen.withLock { $0 += 1 } }
    }
    let new = Token(object: object)
    token.withLock { $0 = new }
  }

  deinit {
    if let old = token.withLock({ $0 }) { NotificationCenter.default.removeObserver(old.object) }
  }
}

/// Asks for the zones; somebody else signs in between the look at the account and the request.
// Sendable because its properties are constant but for the outcome, which is read at the end.
private final class OvertakenOperation: CKDatabaseOperation, @unchecked Sendable {
  private let signIn: @Sendable () -> Void
  private(set) var end = "none"

  init(_ signIn: @escaping @Sendable () -> Void) {
    self.signIn = signIn
    super.init()
  }

  override func perform() async throws {
    let (database, signIn) = (effectiveDatabase, signIn)
    _ = try await request(from: Viewpoint(scope: .private)) {
      signIn()
      return try await database.caller.listZones()
    }
  }

  override func complete(_ failure: CKError?) { end = code(failure) }
}

@Suite struct AccountTests {
  private static let ann = (200, #"{"userRecordName":"_ann"}"#)

  @Test func `ACC-04 who signs out has no account, and the app is notified`() async throws {
    let server = AnsweringServer { _ in Self.ann }
    let container = server.container()
    let posts = Posts(container)
    #expect(try await container.accountStatus() == .available)
    Brume.signOut(of: container)
    #expect(try await container.accountStatus() == .noAccount)
    #expect(posts.count == 1)
    #expect(server.paths.count == 1, "nobody is asked about nobody")
  }

  @Test func `ACC-06 who signs in speaks from then on, through databases that are held`()
    async throws
  {
    let server = AnsweringServer { call in
      call.target.contains("ckWebAuthToken=bobs")
        ? (200, #"{"userRecordName":"_bob","zones":[]}"#)
        : (200, #"{"userRecordName":"_ann","zones":[]}"#)
    }
    let container = server.container()
    let (database, posts) = (container.privateCloudDatabase, Posts(container))
    #expect(try await container.userRecordID().recordName == "_ann")
    Brume.signIn(userToken: "bobs", to: container)
    #expect(try await container.userRecordID().recordName == "_bob")
    _ = try await database.allRecordZones()
    #expect(database === container.privateCloudDatabase && posts.count == 1)
  }

  @Test func `ACC-07 an answer for one account is not taken for another's`() async throws {
    let holder = Mutex<CKContainer?>(nil)
    let server = AnsweringServer { _ in
      if let container = holder.withLock({ $0 }) { Brume.signOut(of: container) }
      return (200, #"{"zones":[]}"#)
    }
    let container = server.container()
    holder.withLock { $0 = container }
    let error = await #expect(throws: CKError.self) {
      try await container.privateCloudDatabase.allRecordZones()
    }
    #expect(error?.code == .notAuthenticated)
  }

  @Test func `ACC-07 who signs in while the status is asked for is an available account`()
    async throws
  {
    let holder = Mutex<CKContainer?>(nil)
    let server = AnsweringServer { call in
      if call.target.contains("ckWebAuthToken=bobs") { return (200, #"{"userRecordName":"_bob"}"#) }
      if let container = holder.withLock({ $0 }) {
        Brume.signIn(userToken: "bobs", to: container)
      }
      return Self.ann
    }
    let container = server.container()
    holder.withLock { $0 = container }
    #expect(try await container.accountStatus() == .available)
    #expect(server.paths.count == 2)
  }

  @Test func `ACC-07 who signs in under an equal token while the status is asked for is available`()
    async throws
  {
    let holder = Mutex<CKContainer?>(nil)
    let token = try #require(
      try AnsweringServer { _ in Self.ann }.container().session.configuration.get().userToken)
    let server = AnsweringServer { _ in
      // The first question only.
      let container = holder.withLock { container in
        defer { container = nil }
        return container
      }
      if let container { Brume.signIn(userToken: token, to: container) }
      return Self.ann
    }
    let container = server.container()
    holder.withLock { $0 = container }
    #expect(try await container.accountStatus() == .available)
    #expect(server.paths.count == 2)
  }

  @Test func `ACC-07 a request is not sent as somebody who signs in at that moment`() async {
    let server = AnsweringServer { _ in (200, #"{"zones":[]}"#) }
    let container = server.container()
    let operation = OvertakenOperation { Brume.signIn(userToken: "bobs", to: container) }
    operation.database = container.privateCloudDatabase
    await finish(operation)
    #expect(server.paths.isEmpty)
    #expect(operation.end == "notAuthenticated")
  }

  @Test func `an operation fails if it cannot be found out who the current user is`() async throws {
    let isDown = Mutex(true)
    let server = AnsweringServer { call in
      guard call.target.contains("users/caller") else { return (200, #"{"zones":[]}"#) }
      return isDown.withLock { $0 } ? (503, "") : Self.ann
    }
    let database = server.container().sharedCloudDatabase
    let error = await #expect(throws: CKError.self) { try await database.allRecordZones() }
    #expect(error?.code == .serviceUnavailable && server.paths.count == 1)
    isDown.withLock { $0 = false }
    _ = try await database.allRecordZones()
    #expect(server.paths.count == 3)
  }

  @Test(arguments: [true, false])
  func `a user who is lost is reported once, also where nobody asked who it is`(
    wasAccepted: Bool
  ) async throws {
    let refuses = Mutex(!wasAccepted)
    let server = AnsweringServer { _ in
      refuses.withLock { $0 }
        ? (421, #"{"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"expired"}"#)
        : (200, #"{"zones":[]}"#)
    }
    let container = server.container()
    let (database, posts) = (container.privateCloudDatabase, Posts(container))
    if wasAccepted { _ = try await database.allRecordZones() }
    refuses.withLock { $0 = true }
    for _ in 0..<2 { _ = try? await database.allRecordZones() }
    #expect(posts.count == (wasAccepted ? 1 : 0))
    // What only some requests can use does not go again and again.
    refuses.withLock { $0 = false }
    if wasAccepted { _ = try await database.allRecordZones() }
    refuses.withLock { $0 = true }
    _ = try? await database.allRecordZones()
    #expect(posts.count == (wasAccepted ? 1 : 0))
  }

  @Test func `a user whom the server takes no more is reported once`() async throws {
    let refuses = Mutex(false)
    let server = AnsweringServer { _ in
      refuses.withLock { $0 }
        ? (421, #"{"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"expired"}"#) : Self.ann
    }
    let container = server.container()
    let posts = Posts(container)
    #expect(try await container.accountStatus() == .available)
    refuses.withLock { $0 = true }
    for _ in 0..<2 {
      let error = await #expect(throws: CKError.self) {
        try await container.privateCloudDatabase.allRecordZones()
      }
      #expect(error?.code == .notAuthenticated)
    }
    #expect(posts.count == 1)
    #expect(try await container.accountStatus() == .noAccount)
  }

  @Test func `ACC-07 a late refusal of one account does not sign out the next`() async throws {
    let holder = Mutex<CKContainer?>(nil)
    let server = AnsweringServer { _ in
      guard let container = holder.withLock({ $0 }) else { return Self.ann }
      Brume.signIn(userToken: "bobs", to: container)
      container.connection.isUser("_bob", container.connection.account)
      return (421, #"{"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"expired"}"#)
    }
    let container = server.container()
    let posts = Posts(container)
    #expect(try await container.accountStatus() == .available)
    holder.withLock { $0 = container }
    let error = await #expect(throws: CKError.self) {
      try await container.privateCloudDatabase.allRecordZones()
    }
    #expect(error?.code == .notAuthenticated)
    #expect(posts.count == 1, "the sign-in")
    #expect(try await container.connection.me() == "_bob")
  }

  @Test func `an account that goes concerns its container alone, also where nobody holds that`() {
    let server = AnsweringServer { _ in Self.ann }
    let database = server.container().privateCloudDatabase
    let other = server.container()
    let (own, others) = (Posts(database.connection), Posts(other.connection))
    database.connection.postAccountChange()
    #expect(own.count == 1 && others.count == 0)
    other.connection.postAccountChange()
    #expect(own.count == 1 && others.count == 1)
  }

  @Test
  func `each container of an account is notified of its end, and none that is only for calls`() {
    let server = AnsweringServer { _ in Self.ann }
    let one = server.container()
    let two = CKContainer(connection: one.connection, identifier: "iCloud.a")
    let (all, ofOne, ofTwo) = (Posts(one.connection), Posts(one), Posts(two))
    one.configuredWith { _ in Brume.signOut(of: two) }
    #expect(ofOne.count == 1 && ofTwo.count == 1 && all.count == 2)
  }

  @Test func `a stream that begins with the new account does not end with the old one`() async {
    let server = AnsweringServer { _ in (200, "id: 1\ndata: {\"aps\":{}}\n\n") }
    let one = server.container()
    let two = CKContainer(connection: one.connection, identifier: "iCloud.a")
    let begun = Mutex<RemoteNotifications?>(nil)
    let token = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: one, queue: nil
    ) { _ in
      // Of the other container it is posted later.
      let pushes = RemoteNotifications(two.connection)
      begun.withLock { $0 = pushes }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    Brume.signIn(userToken: "bobs", to: two)
    let push = await begun.withLock { $0 }?.next()
    #expect(push != nil)
  }

  @Test func `ACC-07 a stream ends that begins as a user who has gone meanwhile`() async {
    let server = AnsweringServer { _ in (200, "id: 1\ndata: {\"aps\":{}}\n\n") }
    let container = server.container()
    let before = container.connection.signedIn
    Brume.signIn(userToken: "bobs", to: container)
    let push = await RemoteNotifications(container.connection, of: before).next()
    #expect(push == nil)
  }

  @Test func `the stream of pushes ends with the account`() async throws {
    let server = AnsweringServer { _ in (200, ": hello\n\n") }
    let container = server.container()
    var pushes = Brume.remoteNotifications(for: container).makeAsyncIterator()
    Brume.signOut(of: container)
    #expect(await pushes.next() == nil)
  }

  @Test func `ACC-09 a program that the server does not take is no user who signed out`() async {
    let answer = Wire.error(BrumeError(.missingEntitlement, "unknown API token"), uuid: "x")
    let server = AnsweringServer { _ in (401, String(decoding: answer, as: UTF8.self)) }
    let container = server.container()
    let posts = Posts(container)
    let status = await #expect(throws: CKError.self) { try await container.accountStatus() }
    let call = await #expect(throws: CKError.self) {
      try await container.privateCloudDatabase.allRecordZones()
    }
    #expect(status?.code == .missingEntitlement && call?.code == .missingEntitlement)
    #expect(posts.count == 0)
  }

  @Test func `ACC-01 without an account private calls fail`() async throws {
    let server = AnsweringServer { _ in
      (421, #"{"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"sign in"}"#)
    }
    let container = server.container(userToken: nil)
    #expect(try await container.accountStatus() == .noAccount)
    for database in [container.privateCloudDatabase, container.sharedCloudDatabase] {
      let error = await #expect(throws: CKError.self) {
        try await database.record(for: CKRecord.ID(recordName: "a"))
      }
      #expect(error?.code == .notAuthenticated)
    }
  }
}
