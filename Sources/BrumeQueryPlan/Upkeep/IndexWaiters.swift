// The queries that wait for an index, and for how long: a value that only decides.

/// Who waits for which fields.
package struct IndexWaiters {
  /// Ours: a query waits for so many steps, then does without: it looks at a bounded number of records
  /// itself, and goes on with the next page. Without writes beside, 20,000 records are taken in meanwhile;
  /// with them the steps are smaller, so that the wait is not longer.
  static let steps = 50

  private struct Waiter {
    /// What it still waits for.
    var parts: Set<IndexPart>
    var stepsLeft: Int
    let continuation: CheckedContinuation<Void, Never>
  }
  private var waiters: [Int: Waiter] = [:]
  private var lastID = 0

  package init() {}

  /// Whether nobody waits.
  package var isEmpty: Bool { waiters.isEmpty }

  /// A name for who comes next.
  package mutating func newID() -> Int {
    lastID += 1
    return lastID
  }

  /// Somebody waits for all of these fields.
  package mutating func add(
    _ id: Int, _ parts: Set<IndexPart>, _ continuation: CheckedContinuation<Void, Never>
  ) {
    waiters[id] = Waiter(parts: parts, stepsLeft: Self.steps, continuation: continuation)
  }

  /// Somebody waits no longer.
  package mutating func remove(_ id: Int) -> CheckedContinuation<Void, Never>? {
    waiters.removeValue(forKey: id)?.continuation
  }

  /// Nobody waits any longer.
  package mutating func removeAll() -> [CheckedContinuation<Void, Never>] {
    defer { waiters = [:] }
    return waiters.values.map(\.continuation)
  }

  /// Answers whose wait is over. A field whose records were left for later while it was built has one more
  /// step before it, and the query that waits for it too.
  package mutating func stepped(_ step: IndexStep) -> [CheckedContinuation<Void, Never>] {
    let finished = step.isLast ? step.fields.map { IndexPart(type: step.type, field: $0) } : []
    for id in waiters.keys {
      waiters[id]?.parts.subtract(finished)
      waiters[id]?.stepsLeft -= 1
    }
    let over = waiters.filter { $0.value.parts.isEmpty || $0.value.stepsLeft <= 0 }
    for id in over.keys { waiters[id] = nil }
    return over.values.map(\.continuation)
  }
}

extension IndexWanted {
  /// What is wanted, field by field.
  package var parts: Set<IndexPart> {
    Set(
      fields.flatMap { zone, names in
        names.map { IndexPart(type: RecordTypeRowKey(zone: zone, type: type), field: $0) }
      })
  }
}
