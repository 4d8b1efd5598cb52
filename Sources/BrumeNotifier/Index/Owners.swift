// Who is behind a condition. Most conditions have one subscriber, popular ones have very many: one is
// a number in place, many are a list of numbers by the events they fire on, so that a change that
// concerns all of them returns the list instead of visiting each.

import BrumeModel

/// What a place in the index leads to.
struct Target: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case nobody
    /// One subscription.
    case row(Int32)
    /// A list of subscriptions.
    case list(Int32)
    /// A condition that has to be evaluated first.
    case condition(Int32)
  }
  private let raw: Int32

  init(_ kind: Kind) {
    switch kind {
    case .nobody: raw = -1
    case .row(let number): raw = number << 2
    case .list(let number): raw = number << 2 | 1
    case .condition(let number): raw = number << 2 | 2
    }
  }

  var kind: Kind {
    if raw < 0 { return .nobody }
    switch raw & 3 {
    case 0: return .row(raw >> 2)
    case 1: return .list(raw >> 2)
    default: return .condition(raw >> 2)
    }
  }

  static let nobody = Target(.nobody)
}

/// Events as bits.
struct EventMask: Equatable, Sendable {
  let bits: UInt8
  init(_ events: some Sequence<Subscription.Event>) {
    bits = events.reduce(0) { $0 | Self.bit($1) }
  }
  static let all = EventMask(Subscription.Event.allCases)
  func meets(_ other: EventMask) -> Bool { bits & other.bits != 0 }

  private static func bit(_ event: Subscription.Event) -> UInt8 {
    switch event {
    case .create: 1
    case .update: 2
    case .delete: 4
    }
  }
}

/// Subscriptions of one condition that fire on the same events.
struct OwnerGroup: Sendable {
  let events: EventMask
  /// No start position in the group is later.
  var newest: Int64
  var rows: [Int32]
}

/// All lists of owners.
struct OwnerLists: Sendable {
  /// Nearly all of a condition's subscriptions fire on the same events: that group is in place.
  fileprivate struct List: Sendable {
    var first: OwnerGroup?
    var others: [OwnerGroup] = []
  }
  private var lists: [List] = []
  private var free: [Int32] = []

  var inUse: Int { lists.count - free.count }

  func forEachGroup(of list: Int32, _ body: (OwnerGroup) -> Void) {
    guard let first = lists[Int(list)].first else { return }
    body(first)
    for group in lists[Int(list)].others { body(group) }
  }

  mutating func make() -> Int32 {
    if let number = free.popLast() { return number }
    lists.append(List())
    return Int32(lists.count - 1)
  }

  /// Adds a row and answers its place in its group.
  mutating func add(_ row: Int32, _ events: EventMask, startPosition: Int64, to list: Int32)
    -> Int32
  {
    lists[Int(list)].edit(events) { group in
      group.newest = max(group.newest, startPosition)
      group.rows.append(row)
      return Int32(group.rows.count - 1)
    }
  }

  /// Removes a row; the last of its group takes its place. Answers that one, and whether the list
  /// is gone.
  mutating func remove(
    at slot: Int32, _ events: EventMask, from list: Int32
  ) -> (moved: Int32?, isGone: Bool) {
    let slot = Int(slot)
    let moved = lists[Int(list)].edit(events) { group -> Int32? in
      guard let last = group.rows.indices.last else { return nil }
      let moved = slot == last ? nil : group.rows[last]
      group.rows.swapAt(slot, last)
      group.rows.removeLast()
      return moved
    }
    lists[Int(list)].dropEmpty()
    guard lists[Int(list)].first == nil else { return (moved, false) }
    free.append(list)
    return (moved, true)
  }
}

extension OwnerLists.List {
  /// Changes the group with these events, which is made if there is none.
  fileprivate mutating func edit<T>(
    _ events: EventMask, _ change: (inout OwnerGroup) -> T
  ) -> T {
    var new = OwnerGroup(events: events, newest: .min, rows: [])
    if first == nil { first = new }
    if first?.events == events, var group = first.take() {
      defer { first = group }
      return change(&group)
    }
    if let known = others.firstIndex(where: { $0.events == events }) {
      return change(&others[known])
    }
    defer { others.append(new) }
    return change(&new)
  }

  fileprivate mutating func dropEmpty() {
    others.removeAll { $0.rows.isEmpty }
    if first?.rows.isEmpty == true { first = others.popLast() }
  }
}
