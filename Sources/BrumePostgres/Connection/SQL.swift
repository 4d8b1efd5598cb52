// A statement of the program: prepared once on each connection, then sent by its name.

import Synchronization

final class SQL: Sendable {
  private let text: String
  private let textOnCitus: String
  /// The name under which connections prepare it.
  let name: String
  private static let count = Atomic<Int>(0)

  /// - Parameter citus: what is asked instead where tables are divided by bucket. Of itself a statement only gets the bucket
  ///   in words that Citus reads: it looks for the worker in `bucket = $1`, and `bucket + 0 = $1`, which chooses an
  ///   index, would be asked of all workers.
  init(_ text: String, onCitus citus: String? = nil) {
    self.text = text
    textOnCitus =
      citus
      ?? text.replacing("bucket + 0 = $1", with: "bucket = $1 AND bucket + 0 = $1")
    name = "s\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
  }

  func text(onCitus: Bool) -> String { onCitus ? textOnCitus : text }
}
