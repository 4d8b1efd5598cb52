// A statement of the program: prepared once on each connection, then sent by its name.

import Synchronization

final class SQL: Sendable {
  let text: String
  /// The name under which connections prepare it.
  let name: String
  private static let count = Atomic<Int>(0)

  init(_ text: String) {
    self.text = text
    name = "s\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
  }
}
