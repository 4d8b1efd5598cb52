// Which kinds of subscriptions an environment knows. Development learns a kind when one is saved, and
// deploying the schema takes them to production. A server may be configured to refuse others there, as
// CloudKit does (case SUB-25).

import BrumeModel
import BrumeStorage

struct SubscriptionTypes: Equatable, Sendable {
  private(set) var kinds: Set<KnownKind>

  /// - Parameter bytes: what is kept; lines that are no kind are left out.
  init(_ bytes: [UInt8]?) {
    let lines = (bytes ?? []).split(separator: UInt8(ascii: "\n"))
    kinds = Set(lines.compactMap { KnownKind(line: String(decoding: $0, as: UTF8.self)) })
  }

  /// The form in which they are kept: a line for each, sorted.
  var bytes: [UInt8] { Array(kinds.map(\.line).sorted().joined(separator: "\n").utf8) }

  func knows(_ kind: Subscription.Kind) -> Bool { kinds.contains(KnownKind(kind)) }

  /// Answers whether the kind was new.
  mutating func learn(_ kind: Subscription.Kind) -> Bool { kinds.insert(KnownKind(kind)).inserted }

  mutating func add(_ others: SubscriptionTypes) { kinds.formUnion(others.kinds) }
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
