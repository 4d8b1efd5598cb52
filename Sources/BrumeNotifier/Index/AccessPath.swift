// Where a conjunction is registered in the index, so that a record finds it without evaluating it.
//
// One condition is enough to find a conjunction. Taken is the one at whose keys the fewest others
// wait: a value, a list's member, a word, a square of the globe, a prefix. A bound beside it is kept
// sorted at that key. What has none of these waits at its bound among all records of the type, and
// what has no bound either is checked for each record.
//
// If nothing of the conjunction is left to ask, it need not be kept: the key and the bound are it.

import BrumeModel
import BrumePredicate

/// A bound on one field: `field > threshold` or `field < threshold`.
struct AccessBound: Equatable, Sendable {
  let field: FieldName
  let isLower: Bool
  let kind: OrderKey.Kind
  let threshold: UInt64
  /// The lowest bit says on which side of the bound equal values are.
  let rest: UInt16

  init?(_ filter: Filter) {
    guard let field = filter.field, let order = OrderKey(filter.value) else { return nil }
    let bit: UInt16
    switch filter.comparator {
    case .greaterThan: (isLower, bit) = (true, 1)
    case .greaterThanOrEquals: (isLower, bit) = (true, 0)
    case .lessThan: (isLower, bit) = (false, 0)
    case .lessThanOrEquals: (isLower, bit) = (false, 1)
    default: return nil
    }
    self.field = field
    kind = order.kind
    threshold = order.high
    // A text's first bytes do not say on which side it is.
    rest = order.kind == .text ? (isLower ? 0 : 1) : order.low | bit
  }

  var isExact: Bool { kind != .text }
}

struct AccessPath: Sendable {
  /// A record with any of these keys may match.
  var keys: [AccessKey]
  var bound: AccessBound?
  /// Nothing is left to check.
  var isExact: Bool

  /// The most selective path of a conjunction.
  ///
  /// - Parameter subscriptionCount: how many wait at a key already; the emptier one wins.
  static func best(for filters: [Filter], subscriptionCount: (AccessKey) -> Int) -> AccessPath {
    let boundFilter =
      filters.firstIndex { AccessBound($0)?.isExact == true }
      ?? filters.firstIndex { AccessBound($0) != nil }
    let bound = boundFilter.flatMap { AccessBound(filters[$0]) }
    // Many keys cost many places; a bound is better than hundreds of them.
    let taken = rarest(of: filters, subscriptionCount).flatMap {
      $0.choice.keys.count > 64 && bound != nil ? nil : $0
    }
    let rest = filters.indices.filter { index in
      if let taken, filters[index] == filters[taken.index] { return false }
      if let boundFilter, filters[index] == filters[boundFilter] { return false }
      return true
    }
    let isExact =
      rest.isEmpty && bound?.isExact ?? true
      && taken.map { $0.choice.isExact && $0.choice.keys.count == 1 } ?? true
    return AccessPath(
      keys: taken?.choice.keys ?? [.everything], bound: bound, isExact: isExact)
  }

  /// What the filter offers at whose keys the fewest wait, and its index.
  private static func rarest(
    of filters: [Filter], _ subscriptionCount: (AccessKey) -> Int
  ) -> (index: Int, choice: Choice)? {
    var best: (index: Int, choice: Choice)?
    var least = Int.max
    for (index, filter) in filters.enumerated() {
      guard let choice = Choice(filter, subscriptionCount: subscriptionCount) else { continue }
      let weight = choice.keys.reduce(choice.keys.count + choice.handicap) {
        $0 + subscriptionCount($1)
      }
      if weight < least {
        best = (index, choice)
        least = weight
      }
    }
    return best
  }
}

// MARK: What one filter offers

private struct Choice {
  var keys: [AccessKey]
  var isExact: Bool
  /// Among keys with equally many subscriptions values are preferred.
  var handicap = 0

  init?(_ filter: Filter, subscriptionCount: (AccessKey) -> Int) {
    guard !filter.asksForPresence else { return nil }
    switch filter.comparator {
    case .equals: self.init(filter, .value, [filter.value])
    case .in: self.init(filter, .value, filter.value.elements)
    case .listContains: self.init(filter, .member, [filter.value])
    case .listContainsAny: self.init(filter, .member, filter.value.elements)
    case .listContainsAll:
      self.init(filter, .member, filter.value.elements)
      // Each of them must be there, so any one finds the record.
      guard let rarest = keys.min(by: { subscriptionCount($0) < subscriptionCount($1) }) else {
        return nil
      }
      let elements = filter.value.elements ?? []
      isExact = keys.count == 1 && elements.allSatisfy { $0.key != nil }
      keys = [rarest]
    case .containsAnyTokens: self.init(words: filter)
    case .containsAllTokens:
      self.init(words: filter)
      guard let rarest = keys.min(by: { subscriptionCount($0) < subscriptionCount($1) }) else {
        return nil
      }
      keys = [rarest]
    case .near: self.init(near: filter)
    case .beginsWith: self.init(prefix: filter, .prefix, isExact: true)
    case .listMemberBeginsWith: self.init(prefix: filter, .memberPrefix, isExact: false)
    case .notEquals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .notIn,
      .notBeginsWith, .notListContains, .notListContainsAny, .notListContainsAll,
      .notListMemberBeginsWith:
      return nil
    }
  }

  private init?(_ filter: Filter, _ kind: AccessKind, _ values: [FieldValue]?) {
    guard let field = filter.field, let values, !values.isEmpty else { return nil }
    var seen: Set<[UInt8]> = []
    // What equals nothing adds nothing.
    let found = values.compactMap(\.key).filter { seen.insert($0).inserted }
    guard !found.isEmpty else { return nil }
    keys = found.map { AccessKey(field: field, kind: kind, bytes: $0) }
    isExact = true
  }

  private init?(words filter: Filter) {
    guard let words = Tokens.of(filter.value), !words.isEmpty else { return nil }
    keys = words.map { AccessKey(field: filter.field, kind: .word, bytes: AccessKey.word($0)) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    isExact = false
    handicap = 1
  }

  private init?(near filter: Filter) {
    guard let field = filter.field, case .location(let centre) = filter.value,
      let metres = filter.distance, let cover = GlobeCells.covering(centre, metres: metres)
    else { return nil }
    keys = cover.cells.map { cell in
      AccessKey(field: field, kind: .cell, parameter: cover.level, bytes: cell.bytes)
    }
    isExact = false
    handicap = 2
  }

  /// Ours: how many bytes of a prefix a key may have. A record's texts, and each element of its lists, are looked up once for
  /// each length at which somebody waits; those whose prefixes differ only behind it wait at the same key, and are evaluated.
  private static let prefixBytes = [0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128]

  private init?(prefix filter: Filter, _ kind: AccessKind, isExact: Bool) {
    guard let field = filter.field, case .string(let text) = filter.value else { return nil }
    let length = Self.prefixBytes.last { $0 <= text.utf8.count } ?? 0
    let bytes = Array(text.utf8.prefix(length))
    keys = [AccessKey(field: field, kind: kind, parameter: UInt32(length), bytes: bytes)]
    self.isExact = isExact && length == text.utf8.count
    handicap = bytes.isEmpty ? 1 << 20 : 3
  }
}

extension AccessKey {
  /// Words are equal as Swift's texts are, not by their bytes, so their hash stands for them.
  static func word(_ word: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(Int64(word.hashValue))
    return bytes
  }
}

extension FieldValue {
  fileprivate var elements: [FieldValue]? {
    if case .list(let elements, _) = self { elements } else { nil }
  }
}
