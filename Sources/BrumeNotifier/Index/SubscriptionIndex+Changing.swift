// Putting subscriptions into the index and taking them out, one at a time, in time that does not grow
// with how many there are.

package import BrumeModel
import BrumePredicate
import BrumeStorage

extension SubscriptionIndex {
  /// Adds a subscription, or replaces the one with the same key.
  package mutating func put(_ stored: StoredSubscription) {
    remove(stored.key)
    guard let watch = Self.watch(of: stored) else { return }
    let row = newRow(stored)
    let scope = useScope(watch)
    switch stored.subscription.kind {
    case .query(let query, _, _, _): place(row, query.filters, in: scope)
    case .zone, .database: place(row, [], in: scope)
    }
    // The scope's own use ends; what was placed in it keeps it.
    releaseScope(scope)
    if stored.scope.scope == .shared { sharedCount += 1 }
  }

  /// Takes a subscription out, if it is there.
  package mutating func remove(_ key: SubscriptionKey) {
    guard let row = row(of: key) else { return }
    if key.scope.scope == .shared { sharedCount -= 1 }
    displace(row)
    let bytes = keys.bytes(of: row).prefix(8)
    let (place, user) = (Self.int32(bytes.prefix(4)), Self.int32(bytes.dropFirst(4)))
    scopeKeys.release(place)
    users.release(user)
    keys.release(row)
  }

  /// Nil for what cannot be: the shared database has database subscriptions only.
  private static func watch(of stored: StoredSubscription) -> Watch? {
    guard let database = stored.scope.database else {
      guard case .database(let type) = stored.subscription.kind else { return nil }
      return .shared(stored.scope.containerEnvironment, stored.scope.user, type: type)
    }
    switch stored.subscription.kind {
    case .query(let query, let zone, _, _):
      return .queries(database, type: query.recordType, zone: zone?.name)
    case .zone(let zone, let type): return .changes(database, zone: zone.name, type: type)
    case .database(let type): return .changes(database, zone: nil, type: type)
    }
  }

  private mutating func newRow(_ stored: StoredSubscription) -> Int32 {
    let place = scopeKeys.use(Self.scopeKeyBytes(stored.scope))
    let user = users.use(Array(stored.scope.user.name.utf8))
    let number = keys.use(Self.keyBytes(place, user, stored.subscription.id))
    var events = EventMask.all
    if case .query(_, _, let wanted, _) = stored.subscription.kind { events = EventMask(wanted) }
    let row = Row(startPosition: stored.starts[bucket], holder: -1, events: events)
    if number == rows.count { rows.append(row) } else { rows[Int(number)] = row }
    return number
  }

  static func int32(_ bytes: ArraySlice<UInt8>) -> Int32 {
    Int32(truncatingIfNeeded: bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
  }

  private mutating func useScope(_ watch: Watch) -> Int32 {
    let scope = scopeNames.use(watch.bytes)
    if scope == scopes.count { scopes.append(Scope()) }
    return scope
  }

  private mutating func releaseScope(_ scope: Int32) {
    if scopeNames.release(scope) { scopes[Int(scope)] = Scope() }
  }
}

// MARK: Placing

extension SubscriptionIndex {
  private mutating func place(_ row: Int32, _ filters: [Filter], in scope: Int32) {
    let path = AccessPath.best(for: filters) { subscriptionCount(at: $0, in: scope) }
    guard path.isExact, let key = path.keys.first else {
      return place(row, condition: filters, path, in: scope)
    }
    let posting = usePosting(key, in: scope)
    rows[Int(row)].holder = posting
    guard let bound = path.bound else {
      let target = added(row, to: postings[Int(posting)].plain)
      postings[Int(posting)].plain = target
      return
    }
    let (set, side) = useSide(bound, of: posting)
    boundSets[set]?.grew(side, rows[Int(row)].startPosition)
    rows[Int(row)].threshold = bound.threshold
    rows[Int(row)].rest = bound.rest
    rows[Int(row)].side = side
    let known = boundSets[set]?.at(side)?.thresholds.find(bound.threshold, bound.rest) {
      if case .condition = $0.kind { false } else { true }
    }
    if let known, let old = boundSets[set]?.at(side)?.thresholds[known] {
      let target = added(row, to: old)
      boundSets[set]?.edit(side) { $0[known] = target }
    } else {
      let target = added(row, to: .nobody)
      let events = rows[Int(row)].events
      boundSets[set]?.edit(side) { $0.insert(target, events, at: bound.threshold, bound.rest) }
    }
  }

  /// A condition that has to be evaluated: one for all who ask the same.
  private mutating func place(
    _ row: Int32, condition filters: [Filter], _ path: AccessPath, in scope: Int32
  ) {
    let meaning = Self.meaning(filters, scope)
    rows[Int(row)].side = Row.condition
    if let known = meanings[meaning], let condition = conditions[known],
      Canonical.key(condition.filters) == Canonical.key(filters),
      condition.postings.first.map({ postings[Int($0)].scope == scope }) ?? false
    {
      rows[Int(row)].holder = known
      let target = added(row, to: condition.owners)
      conditions[known]?.owners = target
      return
    }
    let number = conditions.add(
      Condition(filters: filters, meaning: meaning, postings: [], bound: path.bound))
    if meanings[meaning] == nil { meanings[meaning] = number }
    rows[Int(row)].holder = number
    let target = added(row, to: .nobody)
    conditions[number]?.owners = target
    for key in path.keys {
      let posting = usePosting(key, in: scope)
      conditions[number]?.postings.append(posting)
      register(number, at: posting, path.bound)
    }
  }

  private static func meaning(_ filters: [Filter], _ scope: Int32) -> Int {
    var hasher = Hasher()
    hasher.combine(scope)
    hasher.combine(Canonical.key(filters))
    return hasher.finalize()
  }

  private mutating func register(_ condition: Int32, at posting: Int32, _ bound: AccessBound?) {
    guard let bound else {
      let list = postings[Int(posting)].conditions
      if list >= 0 {
        conditionLists[list]?.append(condition)
      } else {
        postings[Int(posting)].conditions = conditionLists.add([condition])
      }
      return
    }
    let (set, side) = useSide(bound, of: posting)
    boundSets[set]?.edit(side) {
      $0.insert(Target(.condition(condition)), at: bound.threshold, bound.rest)
    }
  }

  /// One more owner.
  private mutating func added(_ row: Int32, to target: Target) -> Target {
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

  private mutating func join(_ row: Int32, _ list: Int32) {
    let (events, startPosition) = (rows[Int(row)].events, rows[Int(row)].startPosition)
    rows[Int(row)].slot = owners.add(row, events, startPosition: startPosition, to: list)
  }
}

// MARK: Taking out

extension SubscriptionIndex {
  private mutating func displace(_ row: Int32) {
    let old = rows[Int(row)]
    switch old.side {
    case Row.condition:
      guard let condition = conditions[old.holder] else { return }
      let target = removed(row, from: condition.owners)
      conditions[old.holder]?.owners = target
      if target == .nobody { removeCondition(old.holder, condition) }
    case Row.plain:
      let target = removed(row, from: postings[Int(old.holder)].plain)
      postings[Int(old.holder)].plain = target
      releasePosting(old.holder)
    default:
      displace(row, old, in: postings[Int(old.holder)].bounds)
      releasePosting(old.holder)
    }
  }

  private mutating func displace(_ row: Int32, _ old: Row, in set: Int32) {
    guard set >= 0, let thresholds = boundSets[set]?.at(old.side)?.thresholds,
      let place = thresholds.find(
        old.threshold, old.rest, where: { if case .condition = $0.kind { false } else { true } })
    else { return }
    let target = removed(row, from: thresholds[place])
    boundSets[set]?.edit(old.side) {
      if target == .nobody { $0.remove(at: place) } else { $0[place] = target }
    }
    dropSide(old.side, of: old.holder)
  }

  private mutating func removed(_ row: Int32, from target: Target) -> Target {
    switch target.kind {
    case .nobody, .condition, .row: return .nobody
    case .list(let list):
      let old = rows[Int(row)]
      let (moved, isGone) = owners.remove(at: old.slot, old.events, from: list)
      if let moved { rows[Int(moved)].slot = old.slot }
      return isGone ? .nobody : target
    }
  }

  private mutating func removeCondition(_ number: Int32, _ condition: Condition) {
    for posting in condition.postings {
      if let bound = condition.bound {
        removeBound(of: number, bound, at: posting)
      } else {
        removeFromList(number, at: posting)
      }
      releasePosting(posting)
    }
    if meanings[condition.meaning] == number { meanings[condition.meaning] = nil }
    conditions.remove(number)
  }

  private mutating func removeBound(of condition: Int32, _ bound: AccessBound, at posting: Int32) {
    let set = postings[Int(posting)].bounds
    guard set >= 0, let side = boundSets[set]?.number(of: bound, fields: fields),
      let place = boundSets[set]?.at(side)?.thresholds.find(
        bound.threshold, bound.rest, where: { $0 == Target(.condition(condition)) })
    else { return }
    boundSets[set]?.edit(side) { $0.remove(at: place) }
    dropSide(side, of: posting)
  }

  private mutating func removeFromList(_ condition: Int32, at posting: Int32) {
    let list = postings[Int(posting)].conditions
    guard list >= 0, let index = conditionLists[list]?.firstIndex(of: condition),
      let last = conditionLists[list]?.indices.last
    else { return }
    conditionLists[list]?.swapAt(index, last)
    conditionLists[list]?.removeLast()
    guard conditionLists[list]?.isEmpty == true else { return }
    conditionLists.remove(list)
    postings[Int(posting)].conditions = -1
  }
}

// MARK: Postings and their sides

extension SubscriptionIndex {
  func subscriptionCount(at key: AccessKey, in scope: Int32) -> Int {
    guard let bytes = postingBytes(key, scope), let posting = postingKeys.find(bytes) else {
      return 0
    }
    return Int(postings[Int(posting)].count)
  }

  /// Nil if nobody asks for the field yet.
  private func postingBytes(_ key: AccessKey, _ scope: Int32) -> [UInt8]? {
    guard let id = fields.find(Self.fieldBytes(key.field)) else { return nil }
    return Self.postingBytes(scope, id, key.kind, key.parameter) + key.bytes
  }

  static func postingBytes(
    _ scope: Int32, _ field: Int32, _ kind: AccessKind, _ parameter: UInt32
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    bytes.append(scope)
    bytes.append(field)
    bytes.append(kind.rawValue)
    bytes.append(parameter)
    return bytes
  }

  static func fieldBytes(_ field: FieldName?) -> [UInt8] {
    switch field {
    case nil: []
    case .field(let name): [UInt8(ascii: "f")] + Array(name.utf8)
    case .system(let field): [UInt8(ascii: "s")] + Array(field.rawValue.utf8)
    }
  }

  /// One more waits at a key.
  private mutating func usePosting(_ key: AccessKey, in scope: Int32) -> Int32 {
    let field = fields.use(Self.fieldBytes(key.field))
    let number = postingKeys.use(
      Self.postingBytes(scope, field, key.kind, key.parameter) + key.bytes)
    if number == postings.count {
      postings.append(Posting(scope: scope))
    } else if postings[Int(number)].count == 0 {
      postings[Int(number)] = Posting(scope: scope)
    }
    postings[Int(number)].count += 1
    if postings[Int(number)].count == 1 {
      scopeNames.useAgain(scope)
      opened(number, key, field, in: scope)
    } else {
      // The posting itself keeps one use of the field.
      fields.release(field)
    }
    return number
  }

  private mutating func opened(
    _ posting: Int32, _ key: AccessKey, _ field: Int32, in scope: Int32
  ) {
    if key.kind == .everything {
      scopes[Int(scope)].everything = posting
      return
    }
    let known = scopes[Int(scope)].uses.firstIndex {
      $0.id == field && $0.kind == key.kind && $0.parameter == key.parameter
    }
    if let known {
      scopes[Int(scope)].uses[known].count += 1
    } else {
      scopes[Int(scope)].uses.append(
        FieldUse(field: key.field, id: field, kind: key.kind, parameter: key.parameter, count: 1))
    }
  }

  private mutating func releasePosting(_ number: Int32) {
    postings[Int(number)].count -= 1
    precondition(postings[Int(number)].count >= 0, "a posting has fewer than no subscriptions")
    let header = postingKeys.bytes(of: number).prefix(13)
    guard postingKeys.release(number) else { return }
    let scope = postings[Int(number)].scope
    let field = Self.int32(header.dropFirst(4).prefix(4))
    let kind = header[header.startIndex + 8]
    let parameter = UInt32(bitPattern: Self.int32(header.dropFirst(9)))
    fields.release(field)
    if kind == AccessKind.everything.rawValue {
      scopes[Int(scope)].everything = -1
    } else {
      closed(field, kind, parameter, in: Int(scope))
    }
    releaseScope(scope)
  }

  private mutating func closed(_ field: Int32, _ kind: UInt8, _ parameter: UInt32, in scope: Int) {
    guard
      let use = scopes[scope].uses.firstIndex(where: {
        $0.id == field && $0.kind.rawValue == kind && $0.parameter == parameter
      })
    else { return }
    scopes[scope].uses[use].count -= 1
    if scopes[scope].uses[use].count == 0 { scopes[scope].uses.remove(at: use) }
  }

  private mutating func useSide(
    _ bound: AccessBound, of posting: Int32
  ) -> (set: Int32, side: Int32) {
    if postings[Int(posting)].bounds < 0 {
      postings[Int(posting)].bounds = boundSets.add(BoundSet())
    }
    let set = postings[Int(posting)].bounds
    if let side = boundSets[set]?.number(of: bound, fields: fields) { return (set, side) }
    let field = fields.use(Self.fieldBytes(bound.field))
    let side = BoundSet.number(field, bound)
    boundSets[set]?.sides.append(
      BoundSet.Side(field: bound.field, number: side, isLower: bound.isLower, kind: bound.kind))
    return (set, side)
  }

  private mutating func dropSide(_ number: Int32, of posting: Int32) {
    let set = postings[Int(posting)].bounds
    guard boundSets[set]?.at(number)?.thresholds.isEmpty == true else { return }
    boundSets[set]?.sides.removeAll { $0.number == number }
    fields.release(number >> 3)
    if boundSets[set]?.sides.isEmpty == true {
      boundSets.remove(set)
      postings[Int(posting)].bounds = -1
    }
  }
}

extension SubscriptionIndex.BoundSet {
  static func number(_ field: Int32, _ bound: AccessBound) -> Int32 {
    field << 3 | Int32(bound.kind.rawValue) << 1 | (bound.isLower ? 1 : 0)
  }

  func number(of bound: AccessBound, fields: InternTable) -> Int32? {
    sides.first {
      $0.isLower == bound.isLower && $0.kind == bound.kind && $0.field == bound.field
    }?.number
  }

  func at(_ number: Int32) -> Side? { sides.first { $0.number == number } }

  mutating func grew(_ number: Int32, _ startPosition: Int64) {
    guard let index = sides.firstIndex(where: { $0.number == number }) else { return }
    sides[index].newest = max(sides[index].newest, startPosition)
  }

  mutating func edit(_ number: Int32, _ change: (inout SortedThresholds) -> Void) {
    guard let index = sides.firstIndex(where: { $0.number == number }) else { return }
    change(&sides[index].thresholds)
  }
}
