// The elements of a list as keys to look up, so that a condition costs its constants and not their product with the
// elements.

import BrumeModel

struct ListElements {
  private var keys: Set<EqualityKey> = []
  private var kinds: Set<EqualityKey.Kind> = []
  private let isEmpty: Bool
  /// In the order of their bytes; nil: the list is not of texts.
  private let texts: [[UInt8]]?

  /// Nil: the value is no list.
  init?(_ value: FieldValue) {
    guard case .list(let elements, let type) = value else { return nil }
    isEmpty = elements.isEmpty
    for element in elements {
      let key = EqualityKey(element)
      keys.formUnion(key?.equals ?? [])
      kinds.insert(key?.kind ?? .incomparable)
    }
    texts = type == nil || type == .string ? Self.texts(of: elements) : nil
  }

  private static func texts(of elements: [FieldValue]) -> [[UInt8]] {
    elements.compactMap { element in
      if case .string(let text) = element { Array(text.utf8) } else { nil }
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Whether an element equals the constant; nil if none does and some cannot be compared with it.
  func contains(_ constant: FieldValue) -> Bool? {
    guard constant.isComparable else { return nil }
    if isEmpty { return false }
    guard let key = EqualityKey(constant) else { return nil }
    if keys.contains(key) { return true }
    return kinds.allSatisfy { $0.meets(key.kind) } ? false : nil
  }

  /// Whether one of the constants is an element.
  func meets(_ constants: FieldValue) -> Bool? {
    guard case .list(let constants, _) = constants else { return nil }
    return Evaluate.oneOf(constants, contains)
  }

  /// Whether every constant is an element.
  func holds(_ constants: FieldValue) -> Bool? {
    guard case .list(let constants, _) = constants else { return nil }
    return Evaluate.oneOf(constants) { contains($0).map(!) }.map(!)
  }

  /// Whether an element begins with a text: what follows it in the order is the first that can.
  func memberBegins(with prefix: FieldValue) -> Bool? {
    guard let texts, case .string(let prefix) = prefix else { return nil }
    let wanted = Array(prefix.utf8)
    var (low, high) = (0, texts.count)
    while low < high {
      let middle = (low + high) / 2
      if texts[middle].lexicographicallyPrecedes(wanted) { low = middle + 1 } else { high = middle }
    }
    return low < texts.count && texts[low].starts(with: wanted)
  }
}
