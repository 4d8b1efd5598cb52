// Finding people, and whether one may be found (docs/sign-in.md), in the three ways.

import BrumeCore
import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DiscoveryTests {
  /// Alice, who looks for Bob Example with an address and a number.
  private static func people(
    _ body: @escaping @Sendable (EndToEndFixture, Device, CKRecord.ID) async throws -> Void
  ) async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let (alice, bob) = (
        try await fixture.device("alice", "phone"), try await fixture.device("bob", "phone")
      )
      var identity = Accounts.Change()
      (identity.givenName, identity.familyName) = ("Bob", "Example")
      identity.phoneNumber = "+4366012345"
      try await fixture.set(identity, of: "bob")
      try await body(fixture, alice, try await bob.container.userRecordID())
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test(arguments: APIStyle.allCases)
  func `somebody is found by address, by number and by record, with a name`(
    _ style: APIStyle
  ) async throws {
    try await Self.people { _, alice, bob in
      for known in [Known.email("bob@example.org"), .phone("+4366012345"), .record(bob)] {
        let found = try #require(try await style.identity(of: known, alice.container))
        #expect(found.userRecordID == bob && found.hasiCloudAccount)
        #expect(found.nameComponents?.givenName == "Bob")
        #expect(found.nameComponents?.familyName == "Example")
        #expect(found.lookupInfo == known.info && found.contactIdentifiers.isEmpty)
      }
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test(arguments: APIStyle.allCases)
  func `many are asked for at once, and who is not found is left out`(_ style: APIStyle)
    async throws
  {
    try await Self.people { _, alice, bob in
      let byAddress = try await style.identities(
        ofAddresses: ["bob@example.org", "nobody@example.org"], alice.container)
      #expect(byAddress.mapValues(\.userRecordID) == ["bob@example.org": bob])
      let byNumber = try await style.identities(
        ofNumbers: ["+1", "+4366012345"], alice.container)
      #expect(byNumber.mapValues(\.userRecordID) == ["+4366012345": bob])
      let nobody = CKRecord.ID(recordName: "_nobody")
      let byRecord = try await style.identities(ofRecords: [bob, nobody], alice.container)
      #expect(byRecord.mapValues(\.userRecordID) == [bob: bob])
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test(arguments: APIStyle.allCases)
  func `who does not want to be found is found by nobody, not even by those he shares with`(
    _ style: APIStyle
  ) async throws {
    try await Self.people { fixture, alice, bob in
      var hidden = Accounts.Change()
      hidden.isDiscoverable = false
      try await fixture.set(hidden, of: "bob")
      #expect(try await style.identity(of: .email("bob@example.org"), alice.container) == nil)
      #expect(try await style.identity(of: .record(bob), alice.container) == nil)
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test(arguments: APIStyle.allCases)
  func `all the people one knows are those one shares with`(_ style: APIStyle) async throws {
    try await Self.people { fixture, alice, bob in
      let guest = try await fixture.device("bob", "phone")
      #expect(try await style.contacts(alice.container).isEmpty)
      try await alice.makeZone("Z")
      let share = CKShare(recordZoneID: .named("Z"))
      share.addParticipant(try await alice.participant(bob))
      try await alice.database.save(share)
      let url = try #require(share.url)
      try await guest.container.accept(try await guest.container.shareMetadata(for: url))
      let found = try await style.contacts(alice.container)
      #expect(found.map(\.userRecordID) == [bob])
      #expect(found.first?.nameComponents?.givenName == "Bob")
      #expect(found.first?.lookupInfo?.emailAddress == nil, "an address that she did not know")
      let owner = try await alice.container.userRecordID()
      #expect(try await style.contacts(guest.container).map(\.userRecordID) == [owner])
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test(arguments: APIStyle.allCases)
  func `nobody is found without an account`(_ style: APIStyle) async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let nobody = try await fixture.device(nil, "kiosk")
      let one = try await failure {
        _ = try await style.identity(of: .email("alice@example.org"), nobody.container)
      }
      #expect(one.code == .notAuthenticated)
      let all = try await failure { _ = try await style.contacts(nobody.container) }
      #expect(all.code == .notAuthenticated)
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test func `the permission to be found is what the account says, and asking does not change it`()
    async throws
  {
    try await EndToEndFixture.run(.memory) { fixture in
      let phone = try await fixture.device("alice", "phone")
      let container = phone.container
      let wanted: CKContainer.Application.Permissions = .userDiscoverability
      #expect(try await container.applicationPermissionStatus(for: wanted) == .granted)
      var hidden = Accounts.Change()
      hidden.isDiscoverable = false
      try await fixture.set(hidden, of: "alice")
      // One finds oneself whatever one chose; so the status has to come from somewhere else.
      #expect(try await container.applicationPermissionStatus(for: wanted) == .denied)
      #expect(try await container.requestApplicationPermission(wanted) == .denied)
      let asked: CKContainer_Application_PermissionStatus = try await waited { done in
        let block: CKContainer.ApplicationPermissionBlock = { done(either($0, $1)) }
        container.requestApplicationPermission(wanted, completionHandler: block)
      }
      let reported: CKContainer.Application.PermissionStatus = try await waited { done in
        container.status(forApplicationPermission: wanted) { done(either($0, $1)) }
      }
      #expect(asked == .denied && reported == .denied)
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test func `without an account the permission could not be completed`() async throws {
    try await EndToEndFixture.run(.memory) { fixture in
      let container = try await fixture.device(nil, "kiosk").container
      let (status, error): (CKContainer.ApplicationPermissionStatus, (any Error)?) =
        try await waited { done in
          container.status(forApplicationPermission: .userDiscoverability) {
            done(.success(($0, $1)))
          }
        }
      #expect(status == .couldNotComplete)
      #expect((error as? CKError)?.code == .notAuthenticated)
    }
  }
}
