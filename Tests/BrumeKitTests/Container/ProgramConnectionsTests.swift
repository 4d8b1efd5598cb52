// Objects of one identifier are one container, with Apple's framework and here.

import BrumeClient
import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

@Suite struct ProgramConnectionsTests {
  /// Who is signed in to a container.
  private static func user(_ container: CKContainer) -> String? {
    (try? container.session.configuration.get())?.userToken
  }

  private static func device(_ container: CKContainer) -> String? {
    (try? container.session.configuration.get())?.deviceID?.name
  }

  private static func setEnvironment() {
    for (name, value) in [
      "URL": "http://127.0.0.1:1", "CONTAINER": "iCloud.a", "USER_TOKEN": "anns", "DEVICE_ID": "",
      "STATE_DIR": "",
    ] {
      setenv("BRUME_\(name)", value, 1)
    }
  }

  @Test func `who signs in to one object has signed in to all of its identifier`() async {
    await #expect(processExitsWith: .success) {
      Self.setEnvironment()
      let (one, two) = (CKContainer(identifier: "iCloud.b"), CKContainer(identifier: "iCloud.b"))
      let other = CKContainer(identifier: "iCloud.c")
      Brume.signIn(userToken: "bobs", to: one)
      let later = CKContainer(identifier: "iCloud.b")
      #expect(Self.user(two) == "bobs" && Self.user(later) == "bobs")
      #expect(Self.user(other) == "anns")
      Brume.signOut(of: later)
      let status = try await one.accountStatus()
      #expect(status == .noAccount)
    }
  }

  @Test func `the default container is one of its identifier, and no other's`() async {
    await #expect(processExitsWith: .success) {
      Self.setEnvironment()
      let early = CKContainer(identifier: "iCloud.a")
      Brume.signIn(userToken: "bobs", to: CKContainer.default())
      let (late, other) = (CKContainer(identifier: "iCloud.a"), CKContainer(identifier: "iCloud.d"))
      #expect(Self.user(early) == "bobs" && Self.user(late) == "bobs")
      // A token is good for the container that it was made for.
      #expect(Self.user(other) == "anns")
    }
  }

  @Test func `objects of one identifier are one device with one stream of pushes`() async {
    await #expect(processExitsWith: .success) {
      Self.setEnvironment()
      let (one, two) = (CKContainer(identifier: "iCloud.b"), CKContainer(identifier: "iCloud.b"))
      #expect(one !== two)
      #expect(one.connection.enginePushes === two.connection.enginePushes)
      let device = try #require(Self.device(one))
      for container in [two, CKContainer.default(), CKContainer(identifier: "iCloud.c")] {
        #expect(Self.device(container) == device)
      }
    }
  }

  @Test func `containers with settings have accounts of their own`() async {
    await #expect(processExitsWith: .success) {
      Self.setEnvironment()
      let one = Brume.container(try Brume.Configuration(environmentOf: nil))
      let two = Brume.container(try Brume.Configuration(environmentOf: nil))
      Brume.signIn(userToken: "bobs", to: one)
      #expect(Self.user(two) == "anns" && Self.user(CKContainer.default()) == "anns")
    }
  }

  @Test func `without settings each container says what is missing`() async throws {
    let connections = ProgramConnections(.failure(.notConfigured("BRUME_URL is not set")))
    #expect(connections.identifier == nil)
    for identifier in [nil, "iCloud.a"] {
      let container = CKContainer(
        connection: connections.connection(to: identifier), identifier: identifier)
      let error = await #expect(throws: CKError.self) {
        _ = try await container.privateCloudDatabase.allRecordZones()
      }
      #expect(error?.code == .missingEntitlement)
      #expect(error?.localizedDescription == "BRUME_URL is not set")
    }
  }
}
