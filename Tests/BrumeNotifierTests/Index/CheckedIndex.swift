import BrumeModel
import BrumeStorage
import Testing

@testable import BrumeNotifier

/// An index whose invariants are checked after every change while it is small, and after every 200th
/// when it is large: looking takes time with its size.
struct CheckedIndex {
  private(set) var value = SubscriptionIndex()
  private var changes = 0
  private static let small = 50

  var count: Int { value.count }

  mutating func put(
    _ subscription: StoredSubscription, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    value.put(subscription)
    check(sourceLocation)
  }

  mutating func remove(
    _ key: SubscriptionKey, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    value.remove(key)
    check(sourceLocation)
  }

  private mutating func check(_ sourceLocation: SourceLocation) {
    changes += 1
    guard count <= Self.small || changes % 200 == 0 else { return }
    #expect(value.checkInvariants() == [], "change \(changes)", sourceLocation: sourceLocation)
  }
}
