// The connections of the containers that a program names. As with Apple's framework a container is what its identifier
// says, however many objects an app makes of it: their account, their device and their pushes are one.

import BrumeClient
import BrumeModel
import Foundation
import Synchronization

/// One connection for each identifier. Sessions begin as the environment says, whoever has signed in to others since.
final class ProgramConnections: Sendable {
  /// Those of this process.
  static let own = ProgramConnections(
    Result { () throws(CallFailure) in
      try Configuration(variables: ProcessInfo.processInfo.environment)
    })

  private let settings: Result<Configuration, CallFailure>
  // Without a bound: its keys are what the app asks for by name, and who was dropped would be signed out.
  private let known = Mutex<[String: Connection]>([:])

  /// - Parameter settings: of the default container; a device without a name gets one, in all containers the same.
  init(_ settings: Result<Configuration, CallFailure>) { self.settings = settings.onDevice }

  /// The container that the settings name; nil without settings.
  var identifier: String? { try? settings.get().container.name }

  /// What all containers of an identifier share; of none, what reports that settings are missing.
  func connection(to identifier: String?) -> Connection {
    guard let identifier else { return Connection(Session(settings)) }
    return known.withLock { known in
      if let connection = known[identifier] { return connection }
      let new = Connection(
        Session(
          settings.map {
            var settings = $0
            settings.containerEnvironment = ContainerEnvironment(
              ContainerID(identifier), settings.environment)
            return settings
          }))
      known[identifier] = new
      return new
    }
  }
}

extension Result<Configuration, CallFailure> {
  /// The same settings; a device without a name gets one.
  var onDevice: Self {
    flatMap { settings in
      Result { () throws(CallFailure) in try settings.withDevice { UUID().uuidString } }
    }
  }
}
