// Equality as a key to look up: two values have the same key exactly if `Order.of` calls them the
// same. It makes a list of constants cost one look-up a value instead of one comparison a constant.

import BrumeModel

enum EqualityKey: Hashable {
  case text([UInt8])
  case reference([UInt8])
  case whole(Int64)
  /// A number that is no whole one of 64 bits, by its bits.
  case fraction(UInt64)
  case timestamp(Milliseconds)
  case place(UInt64, UInt64)

  /// What a value can be compared with.
  enum Kind: Hashable, CaseIterable {
    case text, reference, number, timestamp, place
    /// Not with anything, not with itself either: not a number.
    case unequal
    /// Nothing that conditions compare: files, bytes, lists.
    case incomparable

    /// Whether a value of this kind has an order to a constant of another. A reference is also equal
    /// to a text that is its record name.
    func meets(_ constant: Kind) -> Bool {
      switch (self, constant) {
      case (.incomparable, _), (_, .incomparable), (.unequal, _), (_, .unequal): false
      case (.reference, .text): true
      default: self == constant
      }
    }
  }

  /// Nil for what equals nothing.
  init?(_ value: FieldValue) {
    switch value {
    case .string(let text): self = .text(Array(text.utf8))
    case .reference(let reference): self = .reference(Array(reference.recordName.utf8))
    case .int64(let number): self = .whole(number)
    case .double(let number):
      guard !number.isNaN else { return nil }
      self = Int64(exactly: number).map { .whole($0) } ?? .fraction(number.bitPattern)
    case .timestamp(let time, _): self = .timestamp(time)
    case .location(let place):
      guard !place.latitude.isNaN, !place.longitude.isNaN else { return nil }
      // Adding zero makes -0.0 the same as 0.0.
      self = .place((place.latitude + 0).bitPattern, (place.longitude + 0).bitPattern)
    case .bytes, .asset, .list: return nil
    }
  }

  var kind: Kind {
    switch self {
    case .text: .text
    case .reference: .reference
    case .whole, .fraction: .number
    case .timestamp: .timestamp
    case .place: .place
    }
  }

  /// The constants that equal a value with this key.
  var equals: [EqualityKey] {
    if case .reference(let name) = self { [self, .text(name)] } else { [self] }
  }
}

/// Values by what they equal.
struct EqualitySet {
  private(set) var keys: Set<EqualityKey> = []
  private(set) var kinds: Set<EqualityKey.Kind> = []

  init(_ values: [FieldValue]) {
    for value in values {
      guard let key = EqualityKey(value) else {
        kinds.insert(value.isComparable ? .unequal : .incomparable)
        continue
      }
      keys.insert(key)
      kinds.insert(key.kind)
    }
  }

  /// Whether one of these constants equals the value; nil if none does and some cannot be compared.
  func contains(_ value: FieldValue) -> Bool? {
    let key = EqualityKey(value)
    if let key, key.equals.contains(where: keys.contains) { return true }
    let kind = key?.kind ?? .incomparable
    return kinds.allSatisfy { kind.meets($0) } ? false : nil
  }
}
