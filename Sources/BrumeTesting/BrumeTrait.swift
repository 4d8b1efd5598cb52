// A server for each test by a trait of Swift Testing, so that the test begins with what it is about.

public import BrumeKit
public import Testing

/// Gives each test that has it a server of its own: ``LocalServer/current``.
public struct BrumeTrait: TestTrait, SuiteTrait, TestScoping {
  let users: [String]
  let containerIdentifier: String
  let smallLimits: Bool

  /// The tests of a suite get one each.
  public var isRecursive: Bool { true }

  @concurrent public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    // Once for a suite, which only hands the trait to its tests.
    guard testCase != nil else { return try await function() }
    let server = try await LocalServer(
      containerIdentifier: containerIdentifier, smallLimits: smallLimits)
    for user in users {
      _ = try await server.device(user, of: user)
      try await server.registerForPushes(user)
    }
    try await LocalServer.$scoped.withValue(server) { try await function() }
  }
}

extension Trait where Self == BrumeTrait {
  /// A server of its own for each test, with users who have a device each, named as they are, to which
  /// pushes go.
  ///
  /// ```swift
  /// @Test(.brume(users: "alice", "bob")) func `bob may read what alice shares, and gets a push`()
  ///   async throws
  /// {
  ///   let server = try LocalServer.current
  ///   let subscription = CKDatabaseSubscription(subscriptionID: "shared")
  ///   subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "News")
  ///   try await server["bob"].sharedCloudDatabase.save(subscription)
  ///   let zone = CKRecordZone.ID(zoneName: "Notes")
  ///   let list = CKRecord(recordType: "List", recordID: CKRecord.ID(recordName: "a", zoneID: zone))
  ///   try await server.share(list, from: "alice", with: "bob", permission: .readOnly)
  ///   list["title"] = "Groceries"
  ///   try await server["alice"].privateCloudDatabase.save(list)
  ///   try await server.push(to: "bob") { $0.subscriptionID == "shared" }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - containerIdentifier: the container of its devices.
  ///   - smallLimits: very small limits on batches and pages, to meet them with little data.
  public static func brume(
    users: String..., containerIdentifier: String = "iCloud.org.example.app",
    smallLimits: Bool = false
  ) -> BrumeTrait {
    BrumeTrait(users: users, containerIdentifier: containerIdentifier, smallLimits: smallLimits)
  }
}

extension LocalServer {
  @TaskLocal static var scoped: LocalServer?

  /// The server of the test that runs.
  ///
  /// - Throws: ``NoServer`` outside of a test with the trait `.brume(users:)`.
  public static var current: LocalServer {
    get throws {
      guard let scoped else { throw NoServer() }
      return scoped
    }
  }

  /// The device of a user that the trait named. It ends the test process for another name.
  public subscript(user: String) -> CKContainer {
    guard let device = try? known(user) else {
      preconditionFailure("there is no device '\(user)': name the user in .brume(users:)")
    }
    return device.container
  }
}

/// The test that asks for ``LocalServer/current`` has no server.
public struct NoServer: Error, CustomStringConvertible {
  public var description: String {
    "this test has no server: give it or its suite the trait .brume(users: \"alice\")"
  }
}
