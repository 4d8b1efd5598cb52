// Which subscriptions a log entry concerns, without looking at all of them.
//
// A value that follows the log: the notifier puts and removes subscriptions in log order. It answers
// the same as asking `FireRules.fires` of every subscription. Subscriptions of shared databases are
// found by their user, because only the share says which users see a zone (`Audience`).
//
// Everything is a number here: a subscription is a row, what it watches is a *scope* (database,
// record type, zone), and in a scope it waits at a *posting* (one value of one field), perhaps at a
// threshold there. Each of them has a table with its own state; this file puts subscriptions in and takes
// them out, in time that does not grow with how many there are. Finding is SubscriptionIndex+Matching.swift.

package import BrumeModel
import BrumePredicate
import BrumeStorage

/// The subscriptions of one bucket, to be asked by log entry.
package struct SubscriptionIndex: Sendable {
  /// Whose log the index follows: start positions are of it.
  let bucket: Bucket
  private(set) var names = Names()
  private(set) var rows = Rows()
  private(set) var scopes = Scopes()
  private(set) var postings = Postings()
  private(set) var bounds = Bounds()
  private(set) var conditions = Conditions()
  /// Subscriptions to shared databases among them.
  private(set) var sharedCount = 0

  /// Subscriptions in the index.
  package var count: Int { names.count }

  /// Adds a subscription, or replaces the one with the same key.
  package mutating func put(_ stored: StoredSubscription) {
    remove(stored.key)
    guard let watch = Watch(of: stored) else { return }
    let row = newRow(stored)
    let scope = scopes.use(watch)
    switch stored.subscription.kind {
    case .query(let query, _, _, _): place(row, query.filters, in: scope)
    case .zone, .database: place(row, [], in: scope)
    }
    // The scope's own use ends; what was placed in it keeps it.
    scopes.release(scope)
    if stored.scope.scope == .shared { sharedCount += 1 }
  }

  /// Takes a subscription out, if it is there.
  package mutating func remove(_ key: SubscriptionKey) {
    guard let row = names.row(of: key) else { return }
    if key.scope.scope == .shared { sharedCount -= 1 }
    displace(row)
    names.release(row)
  }

  private mutating func newRow(_ stored: StoredSubscription) -> Int32 {
    let number = names.use(stored.key)
    var events = EventMask.all
    if case .query(_, _, let wanted, _) = stored.subscription.kind { events = EventMask(wanted) }
    rows.begin(number, from: stored.starts[bucket], events)
    return number
  }
}

// Not in the type: tests make one of its parts.
extension SubscriptionIndex {
  package init(of bucket: Bucket = .only) { self.init(bucket: bucket) }
}

// MARK: Placing

extension SubscriptionIndex {
  private mutating func place(_ row: Int32, _ filters: [Filter], in scope: Int32) {
    let path = AccessPath.best(for: filters) { postings.count(at: $0, in: scope) }
    guard path.isExact, let key = path.keys.first else {
      return place(row, condition: filters, path, in: scope)
    }
    let posting = usePosting(key, in: scope)
    rows.wait(row, atPosting: posting)
    if let bound = path.bound { return place(row, at: bound, of: posting) }
    postings.setPlain(rows.added(row, to: postings[posting].plain), at: posting)
  }

  private mutating func place(_ row: Int32, at bound: AccessBound, of posting: Int32) {
    let (set, side) = useSide(bound, of: posting)
    bounds.grew(side, in: set, rows[row].startPosition)
    rows.wait(row, at: bound, side)
    let known = bounds[set]?.at(side)?.thresholds.findOwners(bound.threshold, bound.rest)
    if let known, let old = bounds[set]?.at(side)?.thresholds[known] {
      let target = rows.added(row, to: old)
      bounds.edit(side, in: set) { $0[known] = target }
    } else {
      let target = rows.added(row, to: .nobody)
      let events = rows[row].events
      bounds.edit(side, in: set) { $0.insert(target, events, at: bound.threshold, bound.rest) }
    }
  }

  /// A condition that has to be evaluated: one for all who ask the same.
  private mutating func place(
    _ row: Int32, condition filters: [Filter], _ path: AccessPath, in scope: Int32
  ) {
    let (number, isNew) = conditions.find(filters, path.bound, in: scope)
    rows.wait(row, atCondition: number)
    let owners = conditions[number]?.owners ?? .nobody
    conditions.setOwners(rows.added(row, to: owners), of: number)
    guard isNew else { return }
    for key in path.keys {
      let posting = usePosting(key, in: scope)
      conditions.wait(number, at: posting)
      register(number, at: posting, path.bound)
    }
  }

  private mutating func register(_ condition: Int32, at posting: Int32, _ bound: AccessBound?) {
    guard let bound else {
      let list = conditions.join(condition, postings[posting].conditions)
      return postings.setConditions(list, at: posting)
    }
    let (set, side) = useSide(bound, of: posting)
    bounds.edit(side, in: set) {
      $0.insert(Target(.condition(condition)), at: bound.threshold, bound.rest)
    }
  }
}

// MARK: Taking out

extension SubscriptionIndex {
  private mutating func displace(_ row: Int32) {
    let old = rows[row]
    switch old.side {
    case Row.condition:
      guard let condition = conditions[old.holder] else { return }
      let target = rows.removed(row, from: condition.owners)
      conditions.setOwners(target, of: old.holder)
      if target == .nobody { removeCondition(old.holder, condition) }
    case Row.plain:
      postings.setPlain(rows.removed(row, from: postings[old.holder].plain), at: old.holder)
      releasePosting(old.holder)
    default:
      displace(row, old, in: postings[old.holder].bounds)
      releasePosting(old.holder)
    }
  }

  private mutating func displace(_ row: Int32, _ old: Row, in set: Int32) {
    guard set >= 0, let thresholds = bounds[set]?.at(old.side)?.thresholds,
      let place = thresholds.findOwners(old.threshold, old.rest)
    else { return }
    let target = rows.removed(row, from: thresholds[place])
    bounds.edit(old.side, in: set) {
      if target == .nobody { $0.remove(at: place) } else { $0[place] = target }
    }
    dropSide(old.side, of: old.holder)
  }

  private mutating func removeCondition(_ number: Int32, _ condition: Condition) {
    for posting in condition.postings {
      if let bound = condition.bound {
        removeBound(of: number, bound, at: posting)
      } else if conditions.leave(number, postings[posting].conditions) {
        postings.setConditions(-1, at: posting)
      }
      releasePosting(posting)
    }
    conditions.remove(number)
  }

  private mutating func removeBound(of condition: Int32, _ bound: AccessBound, at posting: Int32) {
    let set = postings[posting].bounds
    guard set >= 0, let side = bounds.side(of: bound, in: set),
      let place = bounds[set]?.at(side)?.thresholds.find(
        bound.threshold, bound.rest, where: { $0 == Target(.condition(condition)) })
    else { return }
    bounds.edit(side, in: set) { $0.remove(at: place) }
    dropSide(side, of: posting)
  }
}

// MARK: Postings and their sides

extension SubscriptionIndex {
  /// One more waits at a key.
  private mutating func usePosting(_ key: AccessKey, in scope: Int32) -> Int32 {
    let (number, field, isNew) = postings.use(key, in: scope)
    if isNew { scopes.opened(number, key, field, in: scope) }
    return number
  }

  private mutating func releasePosting(_ number: Int32) {
    if let gone = postings.release(number) { scopes.closed(gone) }
  }

  private mutating func useSide(
    _ bound: AccessBound, of posting: Int32
  ) -> (set: Int32, side: Int32) {
    if postings[posting].bounds < 0 { postings.setBounds(bounds.makeSet(), at: posting) }
    let set = postings[posting].bounds
    if let side = bounds.side(of: bound, in: set) { return (set, side) }
    return (set, bounds.addSide(bound, field: postings.useField(bound.field), in: set))
  }

  private mutating func dropSide(_ number: Int32, of posting: Int32) {
    guard let isEmpty = bounds.dropSide(number, in: postings[posting].bounds) else { return }
    postings.releaseField(Bounds.field(ofSide: number))
    if isEmpty { postings.setBounds(-1, at: posting) }
  }
}

extension SortedThresholds {
  /// The entry at exactly this threshold that leads to subscriptions, if there is one.
  fileprivate func findOwners(_ high: UInt64, _ low: UInt16) -> Position? {
    find(high, low) { if case .condition = $0.kind { false } else { true } }
  }
}
