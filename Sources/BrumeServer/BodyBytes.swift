// The bytes of a request's body. What is read out of them takes as much again, and a save may wait for long with both: so
// whoever has read them can let go of them.

import Synchronization

/// A body as it came. Everybody who has the request has the same one.
package final class BodyBytes: Sendable {
  private let bytes: Mutex<[UInt8]>

  package init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

  /// None once somebody has let go of them.
  package var all: [UInt8] { bytes.withLock { $0 } }

  /// They have been read, and nobody will read them again.
  func letGo() { bytes.withLock { $0 = [] } }
}
