// Where the server is, for the addresses that it gives clients and commands. The port is known when the listener is
// open: port 0 of the settings means any free one.

import Synchronization

/// One for each server.
package final class ServerAddress: Sendable {
  private let settings: Settings
  private let port: Mutex<Int>

  init(_ settings: Settings) {
    self.settings = settings
    port = Mutex(settings.port)
  }

  /// What clients write in front of a path.
  package var url: String { settings.url(port: port.withLock { $0 }) }

  /// The same for commands on this machine: no proxy is asked, nor waited for.
  package var ownURL: String { settings.ownURL(port: port.withLock { $0 }) }

  /// Where a provider leads back to: registered there, and the same for users and operators.
  var signInCallback: String { "\(url)\(SignInRoutes.path)/callback" }

  package var listeningPort: Int { port.withLock { $0 } }

  /// The listener's port is known.
  func listening(on port: Int) { self.port.withLock { $0 = port } }
}
