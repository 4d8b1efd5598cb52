// `NSPredicate(format:)`, which Foundation on Linux declares but marks unavailable. An initialiser
// of ours with arguments of any type wins over it in code that imports both. The text is parsed by
// BrumePredicate; what CloudKit does not support is refused when the predicate is used.

import BrumeModel
import BrumePredicate
public import Foundation

#if !canImport(ObjectiveC)
  extension NSPredicate {
    /// Creates a predicate from a text such as `"genre == %@ AND year > %d"`.
    ///
    /// A text that cannot be understood, or that asks for what CloudKit does not support, is
    /// reported by the query or the saving of the subscription that uses the predicate.
    public convenience init(format predicateFormat: String, _ args: Any...) {
      self.init(parsing: predicateFormat, arguments: args)
    }

    /// Creates a predicate from a text with one placeholder, for a list.
    ///
    /// Swift would take a list of `Any` apart and hand its elements over as so many arguments.
    public convenience init(format predicateFormat: String, _ list: [Any]) {
      self.init(parsing: predicateFormat, arguments: [list])
    }

    /// Creates a predicate from a text and the values for its placeholders.
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
      self.init(parsing: predicateFormat, arguments: arguments ?? [])
    }

    private convenience init(parsing format: String, arguments: [Any]) {
      let condition: Condition
      do {
        let arguments = try arguments.map { try PredicateArgument(any: $0) }
        condition = .tree(try BrumePredicate.Predicate(format: format, arguments: arguments))
      } catch {
        condition = .refused(
          (error as? BrumeError)
            ?? BrumeError(.badRequest, "'\(format)': \((error as NSError).localizedDescription)"))
      }
      self.init(condition)
    }
  }
#endif

extension PredicateArgument {
  /// A placeholder's value.
  init(any value: Any) throws {
    switch value {
    case is NSNull: self = .null
    case let number as CGFloat: self = .value(.double(Double(number)))
    case let list as NSArray: self = .list(try list.map { try PredicateArgument(any: $0) })
    case let list as [Any]: self = .list(try list.map { try PredicateArgument(any: $0) })
    case let set as NSSet: self = .list(try set.allObjects.map { try PredicateArgument(any: $0) })
    case let set as Set<AnyHashable>:
      self = .list(try set.map { try PredicateArgument(any: $0.base) })
    default: self = try Self.single(value)
    }
  }

  private static func single(_ value: Any) throws -> PredicateArgument {
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else {
      return .value(try FieldValue(value, key: "a placeholder"))
    }
    return try mirror.children.first.map { try PredicateArgument(any: $0.value) } ?? .null
  }
}
