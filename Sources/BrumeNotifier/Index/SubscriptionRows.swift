// One row for each subscription: where it waits, and with whom it shares that place.

import BrumeModel

extension SubscriptionIndex {
  /// One subscription and where it waits.
  struct Row: Sendable {
    var startPosition: Int64
    /// The bound at which it waits, if `side` says so.
    var threshold: UInt64 = 0
    /// A posting, or a condition.
    var holder: Int32
    var side: Int32 = Row.plain
    /// Its place in its list of owners; -1 if it is alone.
    var slot: Int32 = -1
    var rest: UInt16 = 0
    var events: EventMask
    static let plain: Int32 = -1
    static let condition: Int32 = -2
  }

  /// All rows, and the lists of those that wait at one place.
  struct Rows: Sendable {
    private var rows: [Row] = []
    private var owners = OwnerLists()

    var indices: Range<Int> { rows.indices }
    var listsInUse: Int { owners.inUse }

    subscript(number: Int32) -> Row { rows[Int(number)] }

    func forEachGroup(of list: Int32, _ body: (OwnerGroup) -> Void) {
      owners.forEachGroup(of: list, body)
    }

    /// A subscription comes, which waits nowhere yet.
    mutating func begin(_ number: Int32, from startPosition: Int64, _ events: EventMask) {
      let row = Row(startPosition: startPosition, holder: -1, events: events)
      if number == rows.count { rows.append(row) } else { rows[Int(number)] = row }
    }

    mutating func wait(_ number: Int32, atPosting posting: Int32) {
      rows[Int(number)].holder = posting
    }

    /// At a bound of the posting at which it waits.
    mutating func wait(_ number: Int32, at bound: AccessBound, _ side: Int32) {
      rows[Int(number)].threshold = bound.threshold
      rows[Int(number)].rest = bound.rest
      rows[Int(number)].side = side
    }

    mutating func wait(_ number: Int32, atCondition condition: Int32) {
      rows[Int(number)].holder = condition
      rows[Int(number)].side = Row.condition
    }

    /// What a place leads to with one more owner.
    mutating func added(_ row: Int32, to target: Target) -> Target {
      switch target.kind {
      case .nobody, .condition:
        rows[Int(row)].slot = -1
        return Target(.row(row))
      case .row(let first):
        let list = owners.make()
        for one in [first, row] { join(one, list) }
        return Target(.list(list))
      case .list(let list):
        join(row, list)
        return target
      }
    }

    /// What a place leads to without this owner.
    mutating func removed(_ row: Int32, from target: Target) -> Target {
      switch target.kind {
      case .nobody, .condition, .row: return .nobody
      case .list(let list):
        let old = rows[Int(row)]
        let (moved, isGone) = owners.remove(at: old.slot, old.events, from: list)
        if let moved { rows[Int(moved)].slot = old.slot }
        return isGone ? .nobody : target
      }
    }

    private mutating func join(_ row: Int32, _ list: Int32) {
      let (events, startPosition) = (rows[Int(row)].events, rows[Int(row)].startPosition)
      rows[Int(row)].slot = owners.add(row, events, startPosition: startPosition, to: list)
    }
  }
}
