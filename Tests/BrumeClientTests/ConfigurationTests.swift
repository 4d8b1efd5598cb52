import BrumeModel
import Testing

@testable import BrumeClient

struct ConfigurationTests {
  private let all = [
    "BRUME_URL": "http://127.0.0.1:8787/", "BRUME_CONTAINER": "iCloud.org.example.app",
    "BRUME_ENVIRONMENT": "production", "BRUME_API_TOKEN": "api", "BRUME_USER_TOKEN": "user",
    "BRUME_USER_TOKEN_BOB": "bob", "BRUME_DEVICE_ID": "phone", "BRUME_STATE_DIR": "/tmp/state",
    "BRUME_KEY_ID": "key", "BRUME_KEY_FILE": "/tmp/key.pem",
  ]

  @Test func `every variable is read`() throws {
    let settings = try Configuration(variables: all, readFile: { "PEM of \($0)" })
    #expect(
      settings
        == Configuration(
          url: "http://127.0.0.1:8787",
          in: ContainerEnvironment(ContainerID("iCloud.org.example.app"), .production),
          apiToken: "api", userToken: "user",
          deviceID: DeviceID("phone"), stateDirectory: "/tmp/state",
          serverKey: .init(id: "key", privateKeyPEM: "PEM of /tmp/key.pem")))
  }

  private struct NotThere: Error {}

  @Test func `a key file that cannot be read matters only to who has no user token`() throws {
    let settings = try Configuration(variables: all, readFile: { _ in throw NotThere() })
    #expect(settings.userToken == "user" && settings.serverKey == nil)
    var variables = all
    variables["BRUME_USER_TOKEN"] = nil
    #expect {
      try Configuration(variables: variables, readFile: { _ in throw NotThere() })
    } throws: { error in
      guard case .notConfigured(let text)? = error as? CallFailure else { return false }
      return text.contains("BRUME_KEY_FILE names '/tmp/key.pem'")
    }
  }

  @Test func `a user by name has a variable of their own`() throws {
    let settings = try Configuration(variables: all, user: "bob", readFile: { _ in "" })
    #expect(settings.userToken == "bob")
  }

  @Test func `a name that no variable can have is written with underscores, as servers do`() throws
  {
    let variables = all.merging(["BRUME_USER_TOKEN_MARY_ANN_2": "mary"]) { $1 }
    let settings = try Configuration(
      variables: variables, user: "mary-ann.2", readFile: { _ in "" })
    #expect(settings.userToken == "mary")
  }

  @Test(arguments: ["BRUME_URL", "BRUME_CONTAINER"])
  func `a missing variable is named, with what to do`(_ name: String) {
    var variables = all
    variables[name] = nil
    #expect {
      try Configuration(variables: variables, readFile: { _ in "" })
    } throws: { error in
      guard case .notConfigured(let text)? = error as? CallFailure else { return false }
      return text.contains(name) && text.contains("brume status")
    }
  }

  @Test(arguments: [
    ("BRUME_URL", "127.0.0.1:8787"), ("BRUME_URL", "http://"), ("BRUME_ENVIRONMENT", "staging"),
  ])
  func `a wrong value is named`(_ name: String, _ value: String) {
    var variables = all
    variables[name] = value
    #expect {
      try Configuration(variables: variables, readFile: { _ in "" })
    } throws: { error in
      guard case .notConfigured(let text)? = error as? CallFailure else { return false }
      return text.contains(name) && text.contains(value)
    }
  }

  @Test func `an empty variable counts as missing`() throws {
    var variables = all
    variables["BRUME_API_TOKEN"] = ""
    #expect(try Configuration(variables: variables, readFile: { _ in "" }).apiToken == nil)
  }

  @Test func `a device without a name gets one`() throws {
    var settings = try Configuration(variables: all, readFile: { _ in "" })
    #expect(try settings.withDevice { "made up" }.deviceID == DeviceID("phone"))
    settings.deviceID = nil
    settings.stateDirectory = nil
    #expect(try settings.withDevice { "made up" }.deviceID == DeviceID("made up"))
    #expect(try settings.withDevice { "made up" }.isDeviceMadeUp)
  }
}
