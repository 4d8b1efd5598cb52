// What has to be there as long as anybody can call the server: the test, or a device that the test kept
// without the server.

import BrumeNotifier
import BrumeServer
import Foundation

/// A server whose pushes are made, and the files that its devices fetched.
final class RunningServer: Sendable {
  let inProcess: InProcessServer
  private let notifier: Task<Void, Never>
  private let files: URL

  /// - Parameter name: part of the name of its temporary folder.
  init(_ server: Composition, name: String) {
    inProcess = InProcessServer(server)
    notifier = Task { try? await server.notifiers.run() }
    files = FileManager.default.temporaryDirectory.appending(path: "brume-test-\(name)")
  }

  deinit {
    notifier.cancel()
    try? FileManager.default.removeItem(at: files)
  }

  /// Where a device keeps the files that it fetched: what another test or program fetched is not there.
  func files(of device: String) -> String {
    let name = device.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return files.appending(path: name).path
  }
}
