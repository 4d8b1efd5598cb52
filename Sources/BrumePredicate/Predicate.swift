// The tree that a predicate format parses to: the whole language of `NSPredicate` formats as far as
// CloudKit's documentation speaks of it, including what CloudKit refuses. What is refused, and why,
// is Predicate+Filters.swift; the service itself only knows the flat list of filters that comes out there.
// Read more: docs/internals/predicates.md.

package import BrumeModel

/// A condition on a record.
package indirect enum Predicate: Equatable, Sendable {
  /// `TRUEPREDICATE`, `FALSEPREDICATE`.
  case always(Bool)
  case comparison(Comparison)
  case and([Predicate])
  case or([Predicate])
  case not(Predicate)
}

extension Predicate {
  /// Two expressions and what is asked about them.
  package struct Comparison: Equatable, Sendable {
    package var modifier: Modifier
    package var left: Expression
    package var operation: Operation
    package var right: Expression
    /// The letters between brackets after the operator, such as `cd`.
    package var options: Set<Character>

    package init(
      _ left: Expression, _ operation: Operation, _ right: Expression,
      modifier: Modifier = .direct, options: Set<Character> = []
    ) {
      self.modifier = modifier
      self.left = left
      self.operation = operation
      self.right = right
      self.options = options
    }
  }

  /// `NONE` is not here: it parses to NOT around `ANY`, as in Foundation.
  package enum Modifier: String, Hashable, Sendable {
    case direct = ""
    case any = "ANY"
    case all = "ALL"
  }

  /// Raw values are the canonical spelling, used in error texts.
  package enum Operation: String, Hashable, Sendable, CaseIterable {
    case equals = "=="
    case notEquals = "!="
    case lessThan = "<"
    case lessThanOrEquals = "<="
    case greaterThan = ">"
    case greaterThanOrEquals = ">="
    case between = "BETWEEN"
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case matches = "MATCHES"
    case tokenMatches = "TOKENMATCHES"
  }

  /// One side of a comparison.
  package indirect enum Expression: Equatable, Sendable {
    case constant(FieldValue)
    /// `nil`, `NULL`.
    case nothing
    case keyPath(String)
    /// `SELF`
    case currentObject
    /// `{a, b}` or an array argument.
    case list([Expression])
    /// A function by its name, such as `distanceToLocation:fromLocation:`; arithmetic by its sign.
    case call(String, [Expression])
  }
}

/// What stands in for a `%` placeholder of a format.
package enum PredicateArgument: Equatable, Sendable {
  case value(FieldValue)
  /// For `%K`, which also takes a string value.
  case keyPath(String)
  case list([PredicateArgument])
  /// `NSNull` or a nil object.
  case null
}
