// The settings of a container, public form. The variables they come from are read in BrumeClient's
// `Configuration.swift`.

import BrumeClient
import BrumeModel
public import Foundation

extension Brume {
  /// Where the server is, and who asks.
  public struct Configuration: Hashable, Sendable {
    /// The two environments of a container, which share nothing.
    public enum Environment: String, Hashable, Sendable, CaseIterable {
      /// Schemas grow by saving.
      case development
      /// Schemas are what was deployed.
      case production
    }
    /// The server's address, such as `http://127.0.0.1:8787`.
    public var url: URL
    /// The container's identifier, such as `iCloud.org.example.app`.
    public var container: String
    /// Which of the container's environments.
    public var environment: Environment
    /// Lets a program read the public database without a user.
    public var apiToken: String?
    /// Signs a user in.
    public var userToken: String?
    /// Names the device, so that it is not notified of its own changes. Nil: a name is made up, and
    /// kept in the state directory.
    public var deviceID: String?
    /// Where the device keeps its name and its position in the pushes. Nil: in memory.
    public var stateDirectory: String?
    /// The ID of a server-to-server key, which speaks for the program where no user is signed in.
    public var keyID: String?
    /// The key's private half in PEM form.
    public var privateKey: String?
    /// A PEM file with root certificates to trust beside the system's, for a server by https whose
    /// certificate is of your own making.
    public var trustFile: String?

    /// Creates settings.
    public init(
      url: URL, container: String, environment: Environment = .development,
      apiToken: String? = nil, userToken: String? = nil, deviceID: String? = nil,
      stateDirectory: String? = nil, keyID: String? = nil, privateKey: String? = nil,
      trustFile: String? = nil
    ) {
      self.url = url
      self.container = container
      self.environment = environment
      self.apiToken = apiToken
      self.userToken = userToken
      self.deviceID = deviceID
      self.stateDirectory = stateDirectory
      self.keyID = keyID
      self.privateKey = privateKey
      self.trustFile = trustFile
    }

    /// Reads the settings from environment variables, as `brume exec` sets them.
    ///
    /// - Parameters:
    ///   - user: the user to sign in: takes `BRUME_USER_TOKEN_<USER>` instead of
    ///     `BRUME_USER_TOKEN`.
    ///   - deviceID: the device to be, instead of `BRUME_DEVICE_ID`.
    ///   - variables: where to look; the process's own by default.
    /// - Throws: a ``CKError`` that names the missing variable.
    public init(
      environmentOf user: String? = nil, deviceID: String? = nil,
      variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
      do {
        self.init(try BrumeClient.Configuration(variables: variables, user: user))
        self.deviceID = deviceID ?? self.deviceID
      } catch {
        throw CKError(error)
      }
    }

    private init(_ model: BrumeClient.Configuration) {
      self.init(
        url: URL(string: model.url) ?? URL(fileURLWithPath: "/"), container: model.container.name,
        environment: model.environment == .production ? .production : .development,
        apiToken: model.apiToken, userToken: model.userToken, deviceID: model.deviceID?.name,
        stateDirectory: model.stateDirectory, keyID: model.serverKey?.id,
        privateKey: model.serverKey?.privateKeyPEM, trustFile: model.trust.file)
    }

    var model: BrumeClient.Configuration {
      var key: BrumeClient.Configuration.ServerKey?
      if let keyID, let privateKey { key = .init(id: keyID, privateKeyPEM: privateKey) }
      return BrumeClient.Configuration(
        url: url.absoluteString,
        in: ContainerEnvironment(
          ContainerID(container), environment == .production ? .production : .development),
        apiToken: apiToken,
        userToken: userToken, deviceID: deviceID.map { DeviceID($0) },
        stateDirectory: stateDirectory, serverKey: key, trust: .roots(andOf: trustFile))
    }
  }
}
