// Which kinds of subscriptions an environment knows. Development learns a kind when one is saved, and
// deploying the schema takes them to production. A server may be configured to refuse others there, as
// CloudKit does (case SUB-25).

import BrumeModel
import BrumeStorage

struct SubscriptionTypes: Equatable, Sendable {
  /// Sorted.
  private(set) var kinds: [String]

  init(_ bytes: [UInt8]?) {
    kinds = String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  var bytes: [UInt8] { Array(kinds.joined(separator: "\n").utf8) }

  func knows(_ kind: Subscription.Kind) -> Bool { kinds.contains(Self.text(kind)) }

  /// Answers whether the kind was new.
  mutating func learn(_ kind: Subscription.Kind) -> Bool {
    let text = Self.text(kind)
    if kinds.contains(text) { return false }
    kinds = (kinds + [text]).sorted()
    return true
  }

  mutating func add(_ others: SubscriptionTypes) {
    kinds = Set(kinds).union(others.kinds).sorted()
  }

  /// What is asked, without the values: type, events, and comparators with their fields.
  private static func text(_ kind: Subscription.Kind) -> String {
    switch kind {
    case .zone: return "zone"
    case .database: return "database"
    case .query(let query, _, let events, _):
      let fires = Subscription.Event.allCases.filter(events.contains).map(\.rawValue)
      let asked = query.filters.map { "\($0.comparator.rawValue) \($0.field.map(name) ?? "")" }
      return (["query", query.recordType, fires.joined(separator: ",")] + asked.sorted())
        .joined(separator: "\t")
    }
  }

  private static func name(_ field: FieldName) -> String {
    switch field {
    case .field(let name): name
    case .system(let field): field.schemaName
    }
  }
}

extension SubscriptionChange {
  /// Development learns the kind; production may insist on knowing it.
  func admit(_ kind: Subscription.Kind, in transaction: any WriteTransaction) throws {
    let key = SettingKey.subscriptionTypes(place.containerEnvironment)
    var types = SubscriptionTypes(try transaction.settings.value(key))
    switch place.environment {
    case .development:
      guard types.kinds.count < limits.subscriptionTypes, types.learn(kind) else { return }
      try transaction.settings.set(key, to: types.bytes)
    case .production:
      guard limits.deploysSubscriptionTypes, !types.knows(kind) else { return }
      throw BrumeError(
        .badRequest,
        "Cannot create a new subscription type in the production schema; save such a subscription "
          + "in development and deploy the schema")
    }
  }
}
