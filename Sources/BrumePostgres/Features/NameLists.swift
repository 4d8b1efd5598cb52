// Names of records that were asked for by what they refer to, kept right while the transaction writes. A batch
// of deletions asks for the children of each record in one exchange.

import BrumeModel
import BrumeStorage

struct NameLists {
  enum Key: Hashable {
    case children(of: RecordKey)
    case referrers(RecordKey, Reference.Action)
  }
  private struct Names {
    var names: [String]
    /// Whether there are no others.
    let isWhole: Bool
  }
  /// Ours: names that one planned question brings.
  static let planned = 65
  private var lists: [Key: Names] = [:]

  /// The first names of a list, in order; nil if it must be asked for.
  func names(_ key: Key, limit: Int) -> [String]? {
    guard let list = lists[key], list.isWhole || list.names.count >= limit else { return nil }
    return Array(list.names.prefix(limit))
  }

  /// - Parameter limit: of the question.
  mutating func learn(_ key: Key, _ names: [String], limit: Int) {
    lists[key] = Names(names: names, isWhole: names.count < limit)
  }

  /// A record is saved or deleted.
  mutating func update(_ key: RecordKey, from old: Record?, to new: Record?) {
    let before = Self.lists(of: old, key)
    let after = Self.lists(of: new, key)
    for list in before.subtracting(after) {
      change(list) { names in names.removeAll { ByteText($0) == ByteText(key.name) } }
    }
    for list in after.subtracting(before) {
      change(list) { names in
        let place = names.firstIndex { ByteText(key.name) < ByteText($0) } ?? names.endIndex
        names.insert(key.name, at: place)
      }
    }
  }

  /// Of a list that is not whole nobody knows what follows.
  private mutating func change(_ key: Key, _ change: (inout [String]) -> Void) {
    guard let list = lists[key] else { return }
    guard list.isWhole else { return lists[key] = nil }
    change(&lists[key, default: list].names)
  }

  private static func lists(of record: Record?, _ key: RecordKey) -> Set<Key> {
    guard let record else { return [] }
    let referred = record.pointers(within: key.zone).map { pointer in
      Key.referrers(RecordKey(zone: key.zone, name: pointer.target.text), pointer.action)
    }
    let parent = record.parent.map { Key.children(of: RecordKey(zone: key.zone, name: $0)) }
    return Set(referred + [parent].compactMap { $0 })
  }
}
