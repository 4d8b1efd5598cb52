// The query subscriptions of one record type in one database, found by the values of a record.
//
// Equal conditions are one node with a list of owners, however many subscribers there are. A node is
// registered under its `AccessPath`; a record's values lead to candidates, and each candidate is
// verified with the evaluator, which alone decides. How this stays fast: docs/internals/notifications.md.

package import BrumeModel
package import BrumePredicate

/// One subscriber at a node: what of the subscription is not its condition.
struct QueryOwner: Sendable {
  let key: SubscriptionKey
  let birth: Int64
  let events: Set<Subscription.Event>
  /// Nil: every zone.
  let zone: String?
}

struct PredicateIndex: Sendable {
  private struct Node: Sendable {
    let filters: [Filter]
    let meaning: String
    let path: AccessPath
    var owners: [QueryOwner]
  }
  private struct Place: Hashable, Sendable {
    let field: FieldName
    let value: AccessValue
  }
  /// What waits at one value: plain nodes, and nodes with a bound beside it.
  private struct Posting: Sendable {
    var nodes: [Int32] = []
    var bounded: [AccessBound.Side: SortedThresholds] = [:]
    var isEmpty: Bool { nodes.isEmpty && bounded.isEmpty }
    var count: Int { nodes.count + bounded.count }
  }

  private var nodes: [Node?] = []
  private var free: [Int32] = []
  private var byMeaning: [String: Int32] = [:]
  private var postings: [Place: Posting] = [:]
  /// How many places each field has, so that a record is asked only for fields that matter.
  private var postedFields: [FieldName: Int] = [:]
  private var prefixes = PrefixPostings()
  private var bounds: [AccessBound.Side: SortedThresholds] = [:]
  private var scanned: Set<Int32> = []

  var isEmpty: Bool { byMeaning.isEmpty }
  /// How many different conditions there are.
  var nodeCount: Int { byMeaning.count }

  // MARK: Changing

  /// Adds a subscriber. Answers where, for removing.
  mutating func insert(_ owner: QueryOwner, filters: [Filter]) -> Int32 {
    let meaning = Canonical.key(filters)
    if let node = byMeaning[meaning] {
      nodes[Int(node)]?.owners.append(owner)
      return node
    }
    let path = AccessPath.best(for: filters) { field, value in
      postings[Place(field: field, value: value)]?.count ?? 0
    }
    let node = place(Node(filters: filters, meaning: meaning, path: path, owners: [owner]))
    byMeaning[meaning] = node
    register(node, path)
    return node
  }

  mutating func remove(_ key: SubscriptionKey, at node: Int32) {
    guard let owners = nodes[Int(node)]?.owners,
      let place = owners.firstIndex(where: { $0.key == key })
    else { return }
    nodes[Int(node)]?.owners.swapAt(place, owners.count - 1)
    nodes[Int(node)]?.owners.removeLast()
    guard owners.count == 1, let emptied = nodes[Int(node)] else { return }
    unregister(node, emptied.path)
    byMeaning[emptied.meaning] = nil
    nodes[Int(node)] = nil
    free.append(node)
  }

  private mutating func place(_ node: Node) -> Int32 {
    if let slot = free.popLast() {
      nodes[Int(slot)] = node
      return slot
    }
    nodes.append(node)
    return Int32(nodes.count - 1)
  }

  // MARK: Matching

  /// Calls `body` with every owner of a condition that the record meets.
  func forEachOwner(
    matching record: Record, searchable: (String) -> Bool, _ body: (QueryOwner) -> Void
  ) {
    for candidate in candidates(for: record) {
      guard let node = nodes[Int(candidate)],
        Evaluate.matches(node.filters, record, searchable: searchable)
      else { continue }
      for owner in node.owners { body(owner) }
    }
  }

  /// Nodes that may match, each once.
  func candidates(for record: Record) -> [Int32] {
    var found = Array(scanned)
    for field in postedFields.keys {
      forEachAccessValue(of: field, in: record) { value in
        guard let posting = postings[Place(field: field, value: value)] else { return }
        found.append(contentsOf: posting.nodes)
        collect(posting.bounded, record, into: &found)
      }
    }
    for field in prefixes.fields {
      forEachAccessValue(of: field, in: record) { value in
        if case .text(let text) = value { prefixes.collect(field, text, into: &found) }
      }
    }
    collect(bounds, record, into: &found)
    guard found.count > 1 else { return found }
    // A list with several wanted members, or an IN over one, leads to a node more than once.
    found.sort()
    var unique: [Int32] = []
    unique.reserveCapacity(found.count)
    for node in found where unique.last != node { unique.append(node) }
    return unique
  }

  private func collect(
    _ sides: [AccessBound.Side: SortedThresholds], _ record: Record, into found: inout [Int32]
  ) {
    for (side, thresholds) in sides {
      guard let value = record.value(of: side.field).flatMap({ AccessValue($0) }) else { continue }
      let isText = if case .text = value { true } else { false }
      guard isText == side.isText else { continue }
      if side.isLower {
        thresholds.forEach(atMost: value) { found.append($0) }
      } else {
        thresholds.forEach(atLeast: value) { found.append($0) }
      }
    }
  }

  /// A field's value, or every member of its list.
  private func forEachAccessValue(
    of field: FieldName, in record: Record, _ body: (AccessValue) -> Void
  ) {
    guard let value = record.value(of: field) else { return }
    if case .list(let elements, _) = value {
      for element in elements { AccessValue(element).map(body) }
    } else {
      AccessValue(value).map(body)
    }
  }
}

// MARK: Registering

extension PredicateIndex {
  private mutating func register(_ node: Int32, _ path: AccessPath) {
    switch path {
    case .values(let field, let values, let bound):
      for value in values { post(node, Place(field: field, value: value), bound) }
    case .prefix(let field, let text): prefixes.insert(node, field, text)
    case .bound(let bound):
      bounds[bound.side, default: SortedThresholds()].insert(node, at: bound.threshold)
    case .scan: scanned.insert(node)
    }
  }

  private mutating func post(_ node: Int32, _ place: Place, _ bound: AccessBound?) {
    if postings[place] == nil { postedFields[place.field, default: 0] += 1 }
    if let bound {
      postings[place, default: Posting()]
        .bounded[bound.side, default: SortedThresholds()].insert(node, at: bound.threshold)
    } else {
      postings[place, default: Posting()].nodes.append(node)
    }
  }

  private mutating func unregister(_ node: Int32, _ path: AccessPath) {
    switch path {
    case .values(let field, let values, let bound):
      for value in values { unpost(node, Place(field: field, value: value), bound) }
    case .prefix(let field, let text): prefixes.remove(node, field, text)
    case .bound(let bound):
      bounds[bound.side]?.remove(node, at: bound.threshold)
      if bounds[bound.side]?.isEmpty == true { bounds[bound.side] = nil }
    case .scan: scanned.remove(node)
    }
  }

  private mutating func unpost(_ node: Int32, _ place: Place, _ bound: AccessBound?) {
    if let bound {
      postings[place]?.bounded[bound.side]?.remove(node, at: bound.threshold)
      if postings[place]?.bounded[bound.side]?.isEmpty == true {
        postings[place]?.bounded[bound.side] = nil
      }
    } else if let index = postings[place]?.nodes.firstIndex(of: node) {
      postings[place]?.nodes.remove(at: index)
    }
    guard postings[place]?.isEmpty == true else { return }
    postings[place] = nil
    postedFields[place.field, default: 1] -= 1
    if postedFields[place.field] == 0 { postedFields[place.field] = nil }
  }
}
