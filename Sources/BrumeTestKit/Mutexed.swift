// A variable that closures of a test share.

import Synchronization

/// A value that any thread may read and replace.
package final class Mutexed<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  package init(_ value: Value) { state = Mutex(value) }
  package var value: Value {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Reads and writes at once.
  package func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
}
