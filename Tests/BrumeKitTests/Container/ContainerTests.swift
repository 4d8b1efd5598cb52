import BrumeClient
import BrumeModel
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

struct ContainerTests {
  @Test func `databases are the same objects each time`() {
    let container = AnsweringServer { _ in (500, "") }.container()
    #expect(container.database(with: .public) === container.publicCloudDatabase)
    #expect(container.database(with: .private) === container.privateCloudDatabase)
    #expect(container.database(with: .shared) === container.sharedCloudDatabase)
    #expect(container.publicCloudDatabase.databaseScope == .public)
    #expect(container.containerIdentifier == "iCloud.a")
  }

  @Test func `a user who is known is an available account`() async throws {
    let server = AnsweringServer { _ in (200, #"{"userRecordName":"_1"}"#) }
    #expect(try await server.container().accountStatus() == .available)
    #expect(try await server.container().userRecordID().recordName == "_1")
  }

  @Test func `without a user token there is no account, and nobody is asked`() async throws {
    let server = AnsweringServer { _ in (500, "") }
    #expect(try await server.container(userToken: nil).accountStatus() == .noAccount)
    #expect(server.paths.isEmpty)
  }

  @Test func `a token that the server does not know is no account`() async throws {
    let server = AnsweringServer { _ in
      (401, #"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"unknown token"}"#)
    }
    #expect(try await server.container().accountStatus() == .noAccount)
  }

  @Test func `a server that cannot be reached leaves the status open`() async throws {
    let server = AnsweringServer { _ in throw CallFailure.connectionFailed("down") }
    let status: CKAccountStatus = await withCheckedContinuation { continuation in
      server.container().accountStatus { status, error in
        #expect((error as? CKError)?.code == .networkFailure)
        continuation.resume(returning: status)
      }
    }
    #expect(status == .couldNotDetermine)
  }

  @available(*, deprecated, message: "tests what is deprecated")
  @Test func `questions for the account run as configuredWith says`() async throws {
    let timeouts = Mutex<[Duration]>([])
    let server = AnsweringServer { call in
      timeouts.withLock { $0.append(call.timeout) }
      return (200, #"{"userRecordName":"_1"}"#)
    }
    let settings = CKOperation.Configuration()
    settings.timeoutIntervalForRequest = 7
    try await server.container().configuredWith(configuration: settings) { container in
      _ = try await container.userRecordID()
      #expect(try await container.accountStatus() == .available)
      _ = try await container.applicationPermissionStatus(for: .userDiscoverability)
    }
    #expect(timeouts.withLock { $0 } == [.seconds(7), .seconds(7), .seconds(7)])
  }

  @Test func `settings by hand are those that calls use`() throws {
    let settings = Brume.Configuration(
      url: try #require(URL(string: "http://127.0.0.1:8787")),
      container: "iCloud.a", environment: .production, userToken: "t", deviceID: "phone")
    let container = Brume.container(settings)
    let model = try container.session.configuration.get()
    #expect(model.url == "http://127.0.0.1:8787")
    #expect(model.environment == .production)
    #expect(model.deviceID == DeviceID("phone"))
  }

  @Test func `settings of the environment can be another user's`() throws {
    let settings = try Brume.Configuration(
      environmentOf: "bob", deviceID: "bobs-phone",
      variables: [
        "BRUME_URL": "http://127.0.0.1:1", "BRUME_CONTAINER": "iCloud.a",
        "BRUME_USER_TOKEN_BOB": "b",
      ])
    #expect(settings.userToken == "b")
    #expect(settings.deviceID == "bobs-phone")
  }
}
