// A zone as it was right after one of its changes, as far as that is still known.

/// What was in a zone.
package struct PastZone: Sendable {
  /// One record of the zone, then.
  package struct Item: Sendable {
    /// How its content then compares with that of now.
    package enum State: String, Hashable, Sendable, CaseIterable {
      /// As it is now.
      case same
      /// There, with another content than now, or deleted since.
      case other
      /// Not there.
      case absent
      /// Changed since, and its content of then was not kept.
      case unknown
    }
    package let name: String
    package let type: String
    package let state: State
    /// Its content then.
    package let record: StoredRecord?
    /// The first change of it since; nil if there is none.
    package let nextChange: String?

    package init(
      _ name: String, type: String, _ state: State, record: StoredRecord? = nil,
      nextChange: String? = nil
    ) {
      self.name = name
      self.type = type
      self.state = state
      self.record = record
      self.nextChange = nextChange
    }
  }
  /// The change after which the zone is shown.
  package let change: Trace.Change
  /// Those that changed since, then those that did not.
  package var items: [Item] = []
  /// Whether all records of then are named.
  package var isComplete = true
  /// The change by which the zone was deleted since: what it held is not kept.
  package var deletedBy: String?

  /// - Parameter change: the change after which the zone is shown.
  package init(after change: Trace.Change) { self.change = change }
}
