// Containers over another transport and clock than those of programs: for servers inside the process.

package import BrumeClient
import BrumeModel

extension Brume {
  /// A container whose calls take another way than the network.
  package static func container(
    _ settings: BrumeClient.Configuration, transport: any Transport, host: Session.Host
  ) -> CKContainer {
    CKContainer(
      connection: Connection(Session(settings, transport: transport, host: host)),
      identifier: settings.container.name)
  }
}

extension CKContainer {
  /// Somebody else signed in, or nobody is: forgets who the user was, and posts `CKAccountChanged`.
  package func accountChanged(isSignedOut: Bool = false) {
    connection.forgetUser(isSignedOut: isSignedOut)
    connection.postAccountChange()
  }
}
