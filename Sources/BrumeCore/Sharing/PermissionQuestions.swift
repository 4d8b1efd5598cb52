// "Would bob be allowed to?", for operators: asks `Permissions` as a request of bob's would, and says in words
// what gave the right or what is lacking.

package import BrumeModel
import BrumeSchema
import BrumeStorage

/// Answers questions about the rights of users.
package struct PermissionQuestions: Sendable {
  private let store: any Store
  private let limits: Limits
  private let schemas: SchemaCache

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    schemas = parts.schemas
  }

  /// Whether the view's user may do that.
  ///
  /// - Throws: `badRequest` if the question names too little, `notFound` if the record is not there.
  package func answer(
    _ question: PermissionQuestion, in view: OpenedView
  ) async throws -> PermissionAnswer {
    guard view.caller.kind == .user else {
      throw BrumeError(.badRequest, "the question names nobody: give in 'as' who would do it")
    }
    let (limits, schemas) = (limits, schemas)
    let zone = try view.caller.zoneKey(view.zone(question.zone), in: view.scope, limits: limits)
    return try await store.read { transaction in
      let schema = try schemas.schema(of: view.caller.containerEnvironment, in: transaction)
      var access = RecordAccess(transaction, view.scope, view.caller, limits, schema)
      do {
        let place = try access.place(question, in: zone)
        return view.caller.answer(question.action.asked, place)
      } catch let error as BrumeError where error.code == .zoneNotFound {
        let isThere = try transaction.zones.find(zone)?.isLive ?? false
        return PermissionAnswer(
          isAllowed: false,
          reason: isThere
            ? "the user has accepted no share of zone '\(zone.name)': for them it does not exist"
            : error.reason)
      }
    }
  }
}

/// Where the thing is that a question is about, seen from whoever would do it.
private struct AskedPlace {
  let context: Permissions.Context
  var creator: UserID?
  var shares: [String] = []
}

extension RecordAccess {
  fileprivate mutating func place(
    _ question: PermissionQuestion, in zone: ZoneKey
  ) throws -> AskedPlace {
    _ = try view(of: zone)
    switch question.action {
    case .read, .write:
      if question.recordName == nil, scope == .public, let type = question.recordType {
        // A record that somebody else has made.
        return AskedPlace(context: .public(schema.rights(of: type)))
      }
      let stored = try asked(question.recordName, in: zone)
      let (context, shares) = try context(of: stored, in: zone)
      return AskedPlace(
        context: context, creator: try stored.record().created?.user, shares: shares)
    case .create:
      return try placeOfNew(question, in: zone)
    }
  }

  private mutating func placeOfNew(
    _ question: PermissionQuestion, in zone: ZoneKey
  ) throws -> AskedPlace {
    switch scope {
    case .private: return AskedPlace(context: .own)
    case .public:
      guard let type = question.recordType else {
        throw BrumeError(
          .badRequest,
          "the question names no type: give in 'recordType' what would be made in the public database"
        )
      }
      return AskedPlace(context: .public(schema.rights(of: type)))
    case .shared:
      let parent = try question.recordName.map { try asked($0, in: zone) }
      let (context, shares) = try contextOfNew(below: parent, in: zone)
      return AskedPlace(context: context, shares: shares)
    }
  }

  private func asked(_ name: String?, in zone: ZoneKey) throws -> StoredRecord {
    guard let name else {
      throw BrumeError(
        .badRequest,
        "the question names no record: give its 'recordName', or in the public database a "
          + "'recordType'")
    }
    if let stored = try transaction.records.find(RecordKey(zone: zone, name: name)) {
      return stored
    }
    throw BrumeError(
      .notFound, "zone '\(zone.name)' has no record '\(NameRules.shown(name))'; check both names")
  }
}

extension Caller {
  fileprivate func answer(
    _ action: Permissions.Action, _ place: AskedPlace
  ) -> PermissionAnswer {
    if let refusal = Permissions.decide(
      principal, action, in: place.context, creator: place.creator)
    {
      return PermissionAnswer(isAllowed: false, reason: refusal.reason, shares: place.shares)
    }
    let grant = Permissions.grant(principal, action, in: place.context, creator: place.creator)
    return PermissionAnswer(isAllowed: true, reason: grant, shares: place.shares)
  }
}

extension PermissionQuestion.Action {
  fileprivate var asked: Permissions.Action {
    switch self {
    case .read: .read
    case .create: .create
    case .write: .write
    }
  }
}

extension Permissions {
  /// In words, what gives a right that `decide` found.
  fileprivate static func grant(
    _ principal: Principal, _ action: Action, in context: Context, creator: UserID?
  ) -> String {
    switch context {
    case .own: return "the database is the user's own"
    case .shared(let permission):
      return "a share that the user accepted gives \(permission?.rawValue ?? "nothing")"
    case .public(let rights):
      let roles = rights.roles(for: action)
      let own = principal.roles.sorted().first { roles.contains(.custom($0)) }
      let name =
        if roles.contains(.world) {
          "_world"
        } else if roles.contains(.icloud) {
          "_icloud"
        } else if roles.contains(.creator), action == .create || creator == principal.user {
          "_creator"
        } else {
          own ?? "none"
        }
      return "the schema grants \(action.rawValue.uppercased()) to the role \(name)"
    }
  }
}
