// Conditions that have to be evaluated: of which something is left to check, or that wait at several values. Who
// asks the same shares one.

import BrumeModel
import BrumePredicate

extension SubscriptionIndex {
  /// A condition of which something is left to check, or that waits at several values.
  struct Condition: Sendable {
    let filters: [Filter]
    /// `filters`, made ready to evaluate many records: a search text may have 64 KB.
    let prepared: PreparedFilters
    let meaning: Int
    let scope: Int32
    var postings: [Int32] = []
    var bound: AccessBound?
    var owners = Target.nobody
  }

  /// All conditions, by number, and the lists of those that wait at one posting.
  struct Conditions: Sendable {
    private var conditions = Slots<Condition>()
    private var lists = Slots<[Int32]>()
    /// Conditions by scope and meaning, so that equal ones are one.
    private var meanings: [Int: Int32] = [:]

    var inUse: Int { conditions.inUse }
    var isEmpty: Bool { conditions.inUse == 0 && lists.inUse == 0 && meanings.isEmpty }

    subscript(number: Int32) -> Condition? { conditions[number] }

    func list(_ number: Int32) -> [Int32]? { lists[number] }

    /// The one that asks the same in a scope, made if there is none. Answers whether it is new.
    mutating func find(
      _ filters: [Filter], _ bound: AccessBound?, in scope: Int32
    ) -> (number: Int32, isNew: Bool) {
      let key = Canonical.key(filters)
      let meaning = Self.meaning(key, scope)
      if let known = meanings[meaning], let condition = conditions[known],
        condition.scope == scope, Canonical.key(condition.filters) == key
      {
        return (known, false)
      }
      let number = conditions.add(
        Condition(
          filters: filters, prepared: PreparedFilters(filters), meaning: meaning, scope: scope,
          bound: bound))
      if meanings[meaning] == nil { meanings[meaning] = number }
      return (number, true)
    }

    mutating func setOwners(_ owners: Target, of number: Int32) {
      conditions[number]?.owners = owners
    }

    mutating func wait(_ number: Int32, at posting: Int32) {
      conditions[number]?.postings.append(posting)
    }

    mutating func remove(_ number: Int32) {
      if let meaning = conditions[number]?.meaning, meanings[meaning] == number {
        meanings[meaning] = nil
      }
      conditions.remove(number)
    }

    // MARK: Lists

    /// Adds a condition to a list; a negative number is none, and one is made. Answers the list.
    mutating func join(_ condition: Int32, _ list: Int32) -> Int32 {
      guard list >= 0 else { return lists.add([condition]) }
      lists[list]?.append(condition)
      return list
    }

    /// Takes a condition out of a list. Answers whether the list is gone with it.
    mutating func leave(_ condition: Int32, _ list: Int32) -> Bool {
      guard list >= 0, let index = lists[list]?.firstIndex(of: condition),
        let last = lists[list]?.indices.last
      else { return false }
      lists[list]?.swapAt(index, last)
      lists[list]?.removeLast()
      guard lists[list]?.isEmpty == true else { return false }
      lists.remove(list)
      return true
    }

    private static func meaning(_ key: some Hashable, _ scope: Int32) -> Int {
      var hasher = Hasher()
      hasher.combine(scope)
      hasher.combine(key)
      return hasher.finalize()
    }
  }
}

/// Values by number, with numbers used again.
struct Slots<Value: Sendable>: Sendable {
  private var values: [Value?] = []
  private var free: [Int32] = []

  var inUse: Int { values.count - free.count }

  subscript(number: Int32) -> Value? {
    get { values[Int(number)] }
    _modify { yield &values[Int(number)] }
  }

  mutating func add(_ value: Value) -> Int32 {
    if let number = free.popLast() {
      values[Int(number)] = value
      return number
    }
    values.append(value)
    return Int32(values.count - 1)
  }

  mutating func remove(_ number: Int32) {
    values[Int(number)] = nil
    free.append(number)
  }
}
