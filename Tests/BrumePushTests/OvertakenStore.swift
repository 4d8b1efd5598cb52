// A store in which somebody else is faster once: before its first write something else happens.

import BrumeModel
import BrumeStorage
import Synchronization

final class OvertakenStore: Store {
  private let inner: any Store
  private let first: Mutex<(@Sendable () async throws -> Void)?>

  init(_ inner: any Store, by first: @escaping @Sendable () async throws -> Void) {
    self.inner = inner
    self.first = Mutex(first)
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    try await inner.read(body)
  }

  func write<Value: Sendable>(
    in database: DatabaseKey?,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    let overtaker = first.withLock { first in
      defer { first = nil }
      return first
    }
    try await overtaker?()
    return try await inner.write(in: database, body)
  }

  func commits() -> AsyncStream<Void> { inner.commits() }
  func close() async throws { try await inner.close() }
}
