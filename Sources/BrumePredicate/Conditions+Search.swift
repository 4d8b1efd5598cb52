// The two conditions with a shape of their own: search by words, and distance from a place.

import BrumeModel

// MARK: Words

extension Conditions {
  /// `self CONTAINS 'words'`, `ANY tokenize('words', 'Cdl') IN self.allTokens` and
  /// `self.allTokens TOKENMATCHES[cdl] 'words'`. Nil: not a search by words.
  func tokenFilter(_ comparison: Predicate.Comparison) throws(BrumeError) -> Filter? {
    guard let words = searchWords(comparison) else { return nil }
    let value = try Operand(words, now).text(comparison.operation)
    guard comparison.options.isSubset(of: ["c", "d", "l"]) else {
      throw Predicate.refused(
        "the option [\(String(comparison.options.sorted()))] in a search",
        "a search by words never regards case and accents")
    }
    let comparator: Comparator =
      comparison.modifier == .all ? .containsAllTokens : .containsAnyTokens
    return Filter(comparator, nil, value)
  }

  private func searchWords(_ comparison: Predicate.Comparison) -> Predicate.Expression? {
    let (left, right) = (comparison.left, comparison.right)
    switch comparison.operation {
    case .contains where left == .currentObject: return right.tokenized ?? right
    case .tokenMatches where left.isEverything: return right.tokenized ?? right
    case .in where right.isEverything: return left.tokenized ?? left
    default: return nil
    }
  }
}

extension Predicate.Expression {
  /// The record, or the words of all its fields.
  fileprivate var isEverything: Bool { self == .currentObject || self == .keyPath("allTokens") }

  /// The text that a call of `tokenize` takes apart. Its second argument asks for what is done
  /// anyway: no case, no accents.
  fileprivate var tokenized: Predicate.Expression? {
    guard case .call(let name, let arguments) = self, arguments.count == 2,
      name == "tokenize" || name == "tokenize:using:"
    else { return nil }
    return arguments.first
  }
}

// MARK: Distance

extension Conditions {
  /// `distanceToLocation:fromLocation:(field, %@) < metres`, either side first. Nil: no distance.
  func distanceFilter(_ comparison: Predicate.Comparison) throws(BrumeError) -> Filter? {
    let radius: Predicate.Expression
    let isInside: Bool
    let arguments: [Predicate.Expression]
    if let found = comparison.left.distanceArguments {
      (arguments, radius) = (found, comparison.right)
      isInside = [.lessThan, .lessThanOrEquals].contains(comparison.operation)
    } else if let found = comparison.right.distanceArguments {
      (arguments, radius) = (found, comparison.left)
      isInside = [.greaterThan, .greaterThanOrEquals].contains(comparison.operation)
    } else {
      return nil
    }
    guard isInside, comparison.modifier == .direct else {
      throw Predicate.refused(
        "a distance outside a circle",
        "write distanceToLocation:fromLocation:(field, %@) < metres")
    }
    return try near(arguments, metres: radius)
  }

  private func near(
    _ arguments: [Predicate.Expression], metres: Predicate.Expression
  ) throws(BrumeError) -> Filter {
    let key: String
    let centre: Location
    switch (arguments.first, arguments.last) {
    case (.keyPath(let path), .constant(.location(let place))) where arguments.count == 2,
      (.constant(.location(let place)), .keyPath(let path)) where arguments.count == 2:
      (key, centre) = (path, place)
    default:
      throw Predicate.refused(
        "a distance between anything but a field and a location",
        "write distanceToLocation:fromLocation:(field, %@) < metres")
    }
    let distance: Double? =
      switch metres {
      case .constant(.double(let number)): number
      case .constant(.int64(let number)): Double(number)
      default: nil
      }
    guard let distance, distance.isFinite, distance >= 0 else {
      throw Predicate.refused(
        "a distance that is not a number of metres", "pass a number that is not negative")
    }
    return Filter(.near, try FieldName(keyPath: key), .location(centre), distance: distance)
  }
}

extension Predicate.Expression {
  fileprivate var distanceArguments: [Predicate.Expression]? {
    guard case .call("distanceToLocation:fromLocation:", let arguments) = self else { return nil }
    return arguments
  }
}
