// The difference of two schemas in words for operators: each step with what follows from it. Which steps are
// allowed is BrumeSchema's to say.

import BrumeModel
import BrumeSchema

extension SchemaDifference {
  /// - Parameter kept: the schema whose types and fields must stay.
  init(from old: Schema, to new: Schema, kept: Schema, by occasion: Schema.Occasion) {
    self.init(
      old.changes(to: new).map { change in
        Step(
          change.description, consequence: change.consequence, dropped: change.droppedType,
          obstacle: change.obstacle(kept: kept, by: occasion))
      })
  }

  /// Refuses to let record types go unless somebody said that they may.
  ///
  /// - Parameter types: those of which that was said; nil: any.
  func checkDrops(of types: Set<String>?, by occasion: Schema.Occasion) throws(BrumeError) {
    guard let types else { return }
    let others = dropped.filter { !types.contains($0) }
    if others.isEmpty { return }
    throw BrumeError(
      .badRequest,
      "the schema lacks record types that are there: \(others.joined(separator: ", ")); they would go "
        + "with all their records. \(occasion.wayToKeep), or allow it with --allow-drops ('allowDrops'); "
        + "\(occasion.look) shows all changes")
  }
}

extension Schema.Occasion {
  /// A reset takes production's schema, which has no text.
  fileprivate var wayToKeep: String {
    self == .resetting
      ? "Give production these types with `brume schema deploy`" : "Add them to the text"
  }

  fileprivate var look: String {
    self == .resetting ? "`brume schema reset --dry-run`" : "`brume schema diff FILE`"
  }
}

extension Schema.Change {
  fileprivate var droppedType: String? {
    if case .removeType(let type) = self { type } else { nil }
  }

  fileprivate var consequence: String {
    switch self {
    case .addType: "records of it can be saved"
    case .removeType: "all its records are deleted, in every database; devices get the deletions"
    case .addField: "records can have a value there; those that exist have none"
    case .removeField:
      "records keep the values that they have; a later save makes the field again, with its value's type, and "
        + "values of another type stay until they are replaced"
    case .changeType, .changeEncryption:
      "records keep the values that they have, until they are replaced by such as fit"
    case .addIndex: "queries may use it; the first one waits until it is built"
    case .removeIndex: "queries and new subscriptions that need it are refused"
    case .changeGrants: "who may read, create or write public records of it changes at once"
    case .addRole: "users can be given it with `brume schema role assign`"
    case .removeRole: "users who have it lose it, also if a role of that name is made again"
    }
  }
}
