// What a predicate asks, recovered from the object. Ours are block predicates that give a private
// probe; those of Foundation are always-true, always-false and compounds of others. A block of the
// app's own cannot be sent to a server, and CloudKit refuses it too. It is run once, on an empty record:
// nothing else shows whose a block is.

import BrumeModel
import BrumePredicate
import Foundation

extension NSPredicate {
  /// What one of our predicates holds.
  enum Condition: Sendable {
    case tree(BrumePredicate.Predicate)
    /// As the server keeps it, of a fetched subscription.
    case filters([Filter])
    case refused(BrumeError)
  }

  /// A predicate that gives its condition, and can be evaluated on a `CKRecord`.
  convenience init(_ condition: Condition) {
    self.init { object, _ in
      if let probe = object as? ConditionProbe {
        probe.found = condition
        return true
      }
      return (object as? CKRecord).map { condition.matches($0) } ?? false
    }
  }

  /// A predicate with filters that the server returned.
  convenience init(filters: [Filter]) { self.init(.filters(filters)) }

  /// The filters that the server understands.
  ///
  /// - Parameter now: what `now()` means; a subscription has no such moment.
  func filters(now: Milliseconds? = nil) throws -> [Filter] {
    do {
      return try condition().filters(now: now)
    } catch {
      throw CKError(.invalidArguments, error.reason)
    }
  }

  private func condition() throws(BrumeError) -> Condition {
    if let compound = self as? NSCompoundPredicate { return try .compound(compound) }
    let probe = ConditionProbe(recordType: "Probe")
    _ = evaluate(with: probe)
    if let found = probe.found { return found }
    switch (self as any HasPredicateFormat).predicateFormat {
    case "TRUEPREDICATE": return .tree(.always(true))
    case "FALSEPREDICATE": return .tree(.always(false))
    case let format:
      #if canImport(ObjectiveC)
        return .tree(try BrumePredicate.Predicate(format: format))
      #else
        throw BrumeError(
          .badRequest,
          "this predicate (\(format)) is made from code, which a server cannot run; write it as "
            + "NSPredicate(format:)")
      #endif
    }
  }
}

extension NSPredicate.Condition {
  fileprivate func filters(now: Milliseconds?) throws(BrumeError) -> [Filter] {
    switch self {
    case .tree(let tree): try tree.filters(now: now)
    case .filters(let filters): filters
    case .refused(let error): throw error
    }
  }

  /// Subpredicates that the server understands become a list of all their filters.
  fileprivate static func compound(
    _ compound: NSCompoundPredicate
  ) throws(BrumeError) -> NSPredicate.Condition {
    let parts = compound.conditions
    var trees: [BrumePredicate.Predicate] = []
    for part in parts {
      switch try part.condition() {
      case .tree(let tree): trees.append(tree)
      case .refused(let error): throw error
      case .filters(let filters):
        guard compound.compoundPredicateType == .and, parts.count == 1 else {
          throw BrumeError(
            .badRequest, "the predicate of a fetched subscription cannot be part of another one")
        }
        return .filters(filters)
      }
    }
    switch compound.compoundPredicateType {
    case .and: return .tree(.and(trees))
    case .or: return .tree(.or(trees))
    case .not: return .tree(.not(trees.first ?? .always(true)))
    @unknown default:
      throw BrumeError(.badRequest, "this kind of compound predicate is not supported; use AND")
    }
  }

  /// Evaluates on a record of the client, for apps that filter what they have.
  fileprivate func matches(_ record: CKRecord) -> Bool {
    guard let model = try? record.model() else { return false }
    return answer(of: model, me: UserID(record.contents.me ?? CKCurrentUserDefaultName)) ?? false
  }

  /// What a query could ask is answered as the server would. `OR`, and `NOT` around more than one
  /// comparison, no server answers; nil is a comparison that nobody does.
  private func answer(of record: Record, me: UserID) -> Bool? {
    if let filters = try? filters(now: Milliseconds(Date())) {
      return Evaluate.matches(filters.map { $0.naming(me) }, record) { _ in true }
    }
    guard case .tree(let tree) = self else { return nil }
    func answers(_ parts: [BrumePredicate.Predicate]) -> [Bool?] {
      parts.map { Self.tree($0).answer(of: record, me: me) }
    }
    switch tree {
    case .and(let parts):
      let all = answers(parts)
      return all.contains(false) ? false : all.contains(nil) ? nil : true
    case .or(let parts):
      let any = answers(parts)
      return any.contains(true) ? true : any.contains(nil) ? nil : false
    case .not(let part): return answers([part])[0].map(!)
    case .always(let answer): return answer
    case .comparison: return nil
    }
  }
}

/// What a predicate of ours gives its condition to. A record, as an app's own block expects one.
// Sendable because it never leaves the call that makes it.
private final class ConditionProbe: CKRecord, @unchecked Sendable {
  var found: NSPredicate.Condition?
}

/// Foundation on Linux marks the text of a predicate as deprecated because it does not describe
/// most predicates. For the two that we look for it does.
private protocol HasPredicateFormat {
  var predicateFormat: String { get }
}
extension NSPredicate: HasPredicateFormat {}

extension NSCompoundPredicate {
  /// The subpredicates, whose type differs between the two Foundations.
  fileprivate var conditions: [NSPredicate] {
    #if canImport(ObjectiveC)
      subpredicates.compactMap { $0 as? NSPredicate }
    #else
      subpredicates
    #endif
  }
}
