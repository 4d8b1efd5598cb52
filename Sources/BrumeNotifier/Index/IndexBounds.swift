// The bounds beside a posting's value: who waits for a second field to be below or above something.

import BrumeModel
import BrumePredicate

extension SubscriptionIndex {
  /// The bounds beside one value, by field and direction.
  struct BoundSet: Sendable {
    struct Side: Sendable {
      let field: FieldName
      let number: Int32
      let isLower: Bool
      let kind: OrderKey.Kind
      var thresholds = SortedThresholds()
      /// No start position of a subscription here is later.
      var newest = Int64.min
    }
    var sides: [Side] = []

    func at(_ number: Int32) -> Side? { sides.first { $0.number == number } }
  }

  /// All sets of bounds, by number.
  struct Bounds: Sendable {
    private var sets = Slots<BoundSet>()

    var inUse: Int { sets.inUse }

    subscript(set: Int32) -> BoundSet? { sets[set] }

    mutating func makeSet() -> Int32 { sets.add(BoundSet()) }

    /// The number of a bound's side; nil if nobody waits there yet.
    func side(of bound: AccessBound, in set: Int32) -> Int32? {
      sets[set]?.sides.first {
        $0.isLower == bound.isLower && $0.kind == bound.kind && $0.field == bound.field
      }?.number
    }

    /// - Parameter field: the number of the bound's field.
    mutating func addSide(_ bound: AccessBound, field: Int32, in set: Int32) -> Int32 {
      let number = field << 3 | Int32(bound.kind.rawValue) << 1 | (bound.isLower ? 1 : 0)
      sets[set]?.sides.append(
        BoundSet.Side(field: bound.field, number: number, isLower: bound.isLower, kind: bound.kind))
      return number
    }

    static func field(ofSide number: Int32) -> Int32 { number >> 3 }

    /// Takes a side out that nobody waits at. Answers whether the set is empty now and gone; nil if somebody does.
    mutating func dropSide(_ number: Int32, in set: Int32) -> Bool? {
      guard sets[set]?.at(number)?.thresholds.isEmpty == true else { return nil }
      sets[set]?.sides.removeAll { $0.number == number }
      guard sets[set]?.sides.isEmpty == true else { return false }
      sets.remove(set)
      return true
    }

    /// Somebody waits at a side from this position on.
    mutating func grew(_ side: Int32, in set: Int32, _ startPosition: Int64) {
      sets[set]?.edit(side) { $0.newest = max($0.newest, startPosition) }
    }

    mutating func edit(
      _ side: Int32, in set: Int32, _ change: (inout SortedThresholds) -> Void
    ) {
      sets[set]?.edit(side) { change(&$0.thresholds) }
    }
  }
}

extension SubscriptionIndex.BoundSet {
  fileprivate mutating func edit(_ number: Int32, _ change: (inout Side) -> Void) {
    guard let index = sides.firstIndex(where: { $0.number == number }) else { return }
    change(&sides[index])
  }
}
