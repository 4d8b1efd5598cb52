// What is true of the index whenever nothing is being changed. Its tests ask after every change of a small index
// and after every 200th of a large one (`CheckedIndex`).

import BrumeModel

extension SubscriptionIndex {
  /// What is wrong, in words; empty if all counts agree. Takes time with the size of the index.
  func checkInvariants() -> [String] {
    countFlaws + holderFlaws + useFlaws + (count == 0 ? leftovers : [])
  }

  private var usedRows: [Int32] { rows.indices.map { Int32($0) }.filter { names.isUsed($0) } }

  private var countFlaws: [String] {
    let used = usedRows
    let shared = used.filter { key(at: $0).scope.scope == .shared }.count
    var flaws: [String] = []
    if used.count != count { flaws.append("\(used.count) rows for \(count) subscriptions") }
    if shared != sharedCount { flaws.append("\(sharedCount) shared ones noted, \(shared) there") }
    return flaws
  }

  /// Every subscription waits at a posting or a condition that is there.
  private var holderFlaws: [String] {
    usedRows.compactMap { row in
      let holder = rows[row].holder
      if rows[row].side == Row.condition {
        return conditions[holder] == nil ? "row \(row) waits at a condition that is gone" : nil
      }
      return postings.isUsed(holder) && postings[holder].count > 0
        ? nil : "row \(row) waits at a posting that is gone"
    }
  }

  /// The uses of a scope's fields are as many as its postings.
  private var useFlaws: [String] {
    let open = postings.indices.map { Int32($0) }.filter { postings.isUsed($0) }
    let byScope = Dictionary(grouping: open) { postings[$0].scope }
    return scopes.indices.map { Int32($0) }.compactMap { scope in
      let uses = scopes[scope].uses.reduce(0) { $0 + Int($1.count) }
      let everything = scopes[scope].everything >= 0 ? 1 : 0
      let there = byScope[scope]?.count ?? 0
      return uses + everything == there
        ? nil : "scope \(scope) has \(there) postings and \(uses + everything) uses"
    }
  }

  /// An index without subscriptions holds nothing else.
  private var leftovers: [String] {
    let isEmpty =
      names.isEmpty && postings.isEmpty && conditions.isEmpty && scopes.inUse == 0
      && bounds.inUse == 0 && rows.listsInUse == 0
    return isEmpty ? [] : ["something is left of subscriptions that are gone"]
  }
}
