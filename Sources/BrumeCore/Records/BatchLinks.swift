// Who refers to whom among the items of a batch, and which stored records go with them: found once, however many items
// ask. What may refer to what is decided by `ReferenceRules`.

import BrumeModel
import BrumeStorage

struct BatchLinks {
  /// By a record's name: the items that cannot be saved without it.
  private(set) var referring: [String: [Int]] = [:]
  /// By a record's name: the items that go with it, in order.
  private(set) var holders: [String: [Int]] = [:]
  /// Of the items.
  let names: Set<String>
  /// By a record's name: the stored records that go with it.
  private var stored: [String: Set<String>] = [:]
  /// How many of them are no items, and are seen by the caller.
  private var visible: [String: Int] = [:]
  /// By the name of a record that moves: how many levels are below it; nil if those are too many records.
  private var depths: [String: Int?] = [:]
  /// How many records below those that move were looked at.
  private var recordsBelow = 0
  private let rememberedHolders: Int
  private var storedNames = 0

  /// - Parameter rememberedHolders: names of stored records that are kept; beyond it the store is asked again.
  init(_ items: [RecordItem], _ stage: Stage, rememberedHolders: Int) {
    self.rememberedHolders = rememberedHolders
    names = Set(items.map(\.name))
    for position in items.indices {
      guard let record = stage.puts[items[position].name] else { continue }
      for name in record.targets(by: .validate) { referring[name, default: []].append(position) }
      if let parent = record.parent { referring[parent, default: []].append(position) }
      for name in record.targets(by: .deleteSelf) { holders[name, default: []].append(position) }
    }
  }

  /// Asked of the store once for each name, unless there are very many.
  mutating func storedHolders(of name: String, _ stage: Stage, limit: Int) throws -> Set<String> {
    if let known = stored[name] { return known }
    let key = RecordKey(zone: stage.zone, name: name)
    let found = Set(
      try stage.transaction.records.referrers(to: key, by: .deleteSelf, limit: limit))
    storedNames += found.count
    if storedNames <= rememberedHolders { stored[name] = found }
    return found
  }

  /// How many levels of stored records are below one, up to `levels`; nil if they are more than `limit` with those below
  /// others that were asked for. Counted once for each name.
  mutating func depth(
    below name: String, _ stage: Stage, levels: Int, limit: Int
  ) throws -> Int? {
    if let known = depths[name] { return known }
    let left = max(0, limit - recordsBelow)
    let found = try stage.transaction.records.depth(
      below: RecordKey(zone: stage.zone, name: name), levels: levels, limit: left + 1)
    recordsBelow += found.records
    let depth = found.records > left ? nil : found.levels
    depths.updateValue(depth, forKey: name)
    return depth
  }

  /// Counted once for each name: what a batch does not change, its items need not look at again and again.
  mutating func visibleHolders(
    of name: String, among holders: Set<String>, _ count: (Set<String>) throws -> Int
  ) rethrows -> Int {
    if let known = visible[name] { return known }
    let found = try count(holders.subtracting(names))
    visible[name] = found
    return found
  }
}
