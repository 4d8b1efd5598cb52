// Stand-ins for BrumePush until it is here.

import BrumeModel
import BrumeStorage

package struct MailboxSignals: Sendable {
  func signal(_ device: DeviceKey) {}
}
struct EventStream {
  let store: any Store
  let signals: MailboxSignals
  let device: DeviceKey
  func entries(after: Int64, waiting: Duration) async throws -> [MailboxEntry] {
    try? await Task.sleep(for: waiting)
    return []
  }
}
struct Courier {
  let store: any Store
  let signals: MailboxSignals
  func next(token: String, waiting: Duration) async throws -> [UInt8]? {
    try? await Task.sleep(for: waiting)
    return nil
  }
}
extension Composition {
  func notify() async throws { try await Task.sleep(for: .seconds(1_000_000)) }
}
