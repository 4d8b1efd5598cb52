// How a large batch becomes several requests. Only decides: which items go together, in which
// order. What must not be torn apart: the items of a zone that are saved all or nothing, and a new
// share and its root. A parent comes before its children, so that it exists when they arrive.

package import BrumeModel

/// The requests of one batch.
package struct BatchPlan: Equatable, Sendable {
  /// What the plan needs to know of an item.
  package struct Item: Equatable, Sendable {
    package var name: String
    package var zone: ZoneID
    /// All or nothing with the other items of its zone.
    package var isAtomic: Bool
    /// The name of its parent record, always of the same zone.
    package var parent: String?
    /// For a share, the name of its root.
    package var root: String?

    package init(
      name: String, zone: ZoneID, isAtomic: Bool, parent: String? = nil, root: String? = nil
    ) {
      self.name = name
      self.zone = zone
      self.isAtomic = isAtomic
      self.parent = parent
      self.root = root
    }
  }
  /// The items of each request, as positions in the batch.
  package private(set) var requests: [[Int]] = []

  /// Plans a batch.
  ///
  /// A group that may not be torn apart stays in one request even above `operationsPerRequest`:
  /// the server takes up to `itemsPerOperation` from requests that carry an operation ID.
  ///
  /// - Throws: `limitExceeded` for more items than one operation may have.
  package init(_ items: [Item], limits: Limits = Limits()) throws(BrumeError) {
    guard items.count <= limits.itemsPerOperation else {
      throw BrumeError(
        .limitExceeded,
        "the batch has \(items.count) items; the maximum is \(limits.itemsPerOperation). "
          + "Split it in half and send both halves")
    }
    for group in Self.groups(items) { add(group, limit: limits.operationsPerRequest) }
  }

  private mutating func add(_ group: [Int], limit: Int) {
    if let last = requests.indices.last, requests[last].count + group.count <= limit {
      requests[last] += group
    } else {
      requests.append(group)
    }
  }

  /// The smallest pieces that stay together, in the order in which they are sent.
  private static func groups(_ items: [Item]) -> [[Int]] {
    var zones: [ZoneID] = []
    var members: [ZoneID: [Int]] = [:]
    for (index, item) in items.enumerated() {
      if members[item.zone] == nil { zones.append(item.zone) }
      members[item.zone, default: []].append(index)
    }
    return zones.flatMap { zone -> [[Int]] in
      let all = members[zone] ?? []
      return items[all[0]].isAtomic ? [all] : pieces(all, items)
    }
  }

  /// Items of a zone that may fail one by one: parents first, a share with its root.
  private static func pieces(_ indices: [Int], _ items: [Item]) -> [[Int]] {
    var byName: [String: Int] = [:]
    for index in indices where byName[items[index].name] == nil {
      byName[items[index].name] = index
    }
    let depths = indices.map { depth(of: $0, items, byName) }
    let order = zip(indices, depths).sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
    var shares: [Int: Int] = [:]
    for index in indices {
      if let root = items[index].root.flatMap({ byName[$0] }), root != index {
        shares[root] = index
      }
    }
    let taken = Set(shares.values)
    return order.filter { !taken.contains($0) }.map { [$0] + (shares[$0].map { [$0] } ?? []) }
  }

  /// How many of an item's ancestors are in the batch. A cycle ends at the batch's size.
  private static func depth(of index: Int, _ items: [Item], _ byName: [String: Int]) -> Int {
    var depth = 0
    var current = index
    while depth < items.count, let parent = items[current].parent.flatMap({ byName[$0] }) {
      depth += 1
      current = parent
    }
    return depth
  }
}
