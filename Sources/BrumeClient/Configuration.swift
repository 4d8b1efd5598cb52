// Where the server is and who asks. It is read from the `BRUME_…` variables that `brume status --format
// env` and `brume exec` print, or made by hand for several users or devices in one process.

package import BrumeModel
import Foundation

/// The settings of one user on one device.
package struct Configuration: Equatable, Sendable, InContainerEnvironment {
  /// A server-to-server key: its ID and its private half.
  package struct ServerKey: Equatable, Sendable {
    package var id: String
    package var privateKeyPEM: String
    package init(id: String, privateKeyPEM: String) {
      self.id = id
      self.privateKeyPEM = privateKeyPEM
    }
  }
  /// Scheme, host and port, without a slash at the end.
  package var url: String
  package var containerEnvironment: ContainerEnvironment
  package var apiToken: String?
  package var userToken: String?
  /// Nil: one is made and kept in the state directory.
  package var deviceID: DeviceID?
  /// The device's ID was made for this process and is kept nowhere: nothing that stays is named after it.
  package var isDeviceMadeUp = false
  /// Where the device's ID and the position in its pushes are kept. Nil: in memory only.
  package var stateDirectory: String?
  /// Where fetched files are kept. Nil: in the state directory, or where all programs of the system's user keep them.
  package var assetDirectory: String?
  /// Used where no user token is.
  package var serverKey: ServerKey?
  /// Whom calls by https believe.
  package var trust: HTTPCall.Trust

  package init(
    url: String, in containerEnvironment: ContainerEnvironment,
    apiToken: String? = nil, userToken: String? = nil, deviceID: DeviceID? = nil,
    stateDirectory: String? = nil, serverKey: ServerKey? = nil,
    trust: HTTPCall.Trust = .roots(andOf: nil)
  ) {
    self.trust = trust
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.containerEnvironment = containerEnvironment
    self.apiToken = apiToken
    self.userToken = userToken
    self.deviceID = deviceID
    self.stateDirectory = stateDirectory
    self.serverKey = serverKey
  }
}

extension Configuration {
  /// Reads the variables of a process.
  ///
  /// - Parameters:
  ///   - user: takes the user's ``UserTokenVariable`` instead of `BRUME_USER_TOKEN`.
  ///   - readFile: gives the text of the file that `BRUME_KEY_FILE` names. If there is a user token, one that cannot be read
  ///     is as good as none: a program may take the token away and use the key.
  package init(
    variables: [String: String], user: String? = nil,
    readFile: (String) throws -> String = { try String(contentsOfFile: $0, encoding: .utf8) }
  ) throws(CallFailure) {
    let variables = variables.filter { !$0.value.isEmpty }
    let url = try Self.required("BRUME_URL", variables)
    let schemes = ["http://", "https://", "http+unix://"]
    guard schemes.contains(where: url.hasPrefix), URL(string: url)?.host != nil
    else {
      throw .notConfigured("BRUME_URL is '\(url)'; it must look like http://127.0.0.1:8787")
    }
    let container = try Self.required("BRUME_CONTAINER", variables)
    let token = user.map(UserTokenVariable.name) ?? "BRUME_USER_TOKEN"
    if user != nil { _ = try Self.required(token, variables) }
    self.init(
      url: url, in: ContainerEnvironment(ContainerID(container), try Self.environment(variables)),
      apiToken: variables["BRUME_API_TOKEN"], userToken: variables[token],
      deviceID: variables["BRUME_DEVICE_ID"].map { DeviceID($0) },
      stateDirectory: variables["BRUME_STATE_DIR"],
      serverKey: try Self.serverKey(variables, isNeeded: variables[token] == nil, readFile),
      trust: .roots(andOf: variables["BRUME_TRUST"]))
  }

  private static func required(
    _ name: String, _ variables: [String: String]
  ) throws(CallFailure) -> String {
    guard let value = variables[name] else {
      throw .notConfigured(
        "\(name) is not set. Start a server and take its settings with "
          + "`export $(brume status --format env)`, run the program under `brume exec`, or make "
          + "the container with `Brume.container(_:)`")
    }
    return value
  }

  private static func environment(
    _ variables: [String: String]
  ) throws(CallFailure) -> Environment {
    let text = variables["BRUME_ENVIRONMENT"] ?? Environment.development.rawValue
    guard let environment = Environment(rawValue: text) else {
      throw .notConfigured("BRUME_ENVIRONMENT is '\(text)'; it must be development or production")
    }
    return environment
  }

  private static func serverKey(
    _ variables: [String: String], isNeeded: Bool, _ readFile: (String) throws -> String
  ) throws(CallFailure) -> ServerKey? {
    guard let id = variables["BRUME_KEY_ID"], let file = variables["BRUME_KEY_FILE"] else {
      return nil
    }
    do {
      return ServerKey(id: id, privateKeyPEM: try readFile(file))
    } catch {
      guard isNeeded else { return nil }
      throw .notConfigured("BRUME_KEY_FILE names '\(file)', which cannot be read: \(error)")
    }
  }
}
