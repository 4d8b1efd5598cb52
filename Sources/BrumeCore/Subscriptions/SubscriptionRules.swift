// What may be subscribed to where, and what a push may be asked to carry (cases SUB-12 to SUB-16).
// Only rules that need nothing but the subscription itself and its record type.

import BrumeModel
import BrumeSchema

enum SubscriptionRules {
  /// Which kinds exist in which database (cases SUB-12, SUB-13).
  static func kind(_ kind: Subscription.Kind, in scope: DatabaseScope) throws(BrumeError) {
    switch (kind, scope) {
    case (.query, .public), (.query, .private), (.zone, .private), (.database, .private),
      (.database, .shared):
      return
    case (.query, .shared), (.zone, .shared):
      throw BrumeError(
        .badRequest,
        "\(name(kind)) subscriptions are not supported in the shared database; "
          + "use a database subscription there")
    case (.zone, .public), (.database, .public):
      throw BrumeError(
        .badRequest,
        "\(name(kind)) subscriptions are not supported in the public database; "
          + "use a query subscription there")
    }
  }

  /// Zone subscriptions need a zone with a change feed.
  static func zone(_ zone: ZoneKey) throws(BrumeError) {
    guard zone.isDefault else { return }
    throw BrumeError(
      .badRequest,
      "the default zone has no change feed; subscribe to a custom zone, or to a query")
  }

  static func events(_ events: Set<Subscription.Event>) throws(BrumeError) {
    if events.isEmpty {
      throw BrumeError(
        .badRequest, "a query subscription must fire on create, update or delete; name at least one"
      )
    }
  }

  /// How large the texts of a push may be before anything is filled in.
  static func info(_ info: NotificationInfo, limits: Limits) throws(BrumeError) {
    try arguments(info.alert, "alertLocalizationArgs")
    try arguments(info.title, "titleLocalizedArguments")
    try arguments(info.subtitle, "subtitleLocalizedArguments")
    guard info.byteCount <= limits.notificationInfoBytes else {
      throw BrumeError(
        .limitExceeded,
        "the texts of 'notificationInfo' have \(info.byteCount) bytes; the maximum is "
          + "\(limits.notificationInfoBytes); shorten them")
    }
  }

  private static func arguments(
    _ text: NotificationInfo.Text, _ member: String
  ) throws(BrumeError) {
    let (count, maximum) = (text.localizationArgs.count, NotificationInfo.Text.mostArguments)
    if count > maximum {
      throw BrumeError(
        .limitExceeded, "'\(member)' names \(count) fields; the maximum is \(maximum); name fewer")
    }
  }

  /// Desired keys of a zone or database subscription: there is no record to take them from
  /// (case SUB-15).
  static func noDesiredKeys(_ info: NotificationInfo) throws(BrumeError) {
    guard info.desiredKeys.isEmpty else {
      throw BrumeError(
        .badRequest,
        "additional fields are not possible for this subscription type; only query subscriptions "
          + "have desired keys")
    }
  }

  /// Desired keys of a query subscription (case SUB-16). Fields that the schema does not know yet
  /// are allowed: the first save may create them.
  static func desiredKeys(
    _ keys: [String], of type: String, _ schema: Schema.RecordType, limits: Limits
  ) throws(BrumeError) {
    guard Set(keys).count <= limits.desiredKeys else {
      throw BrumeError(
        .badRequest,
        "'additionalFields' has \(keys.count) desired keys; a push carries at most \(limits.desiredKeys); fetch "
          + "the record for the rest")
    }
    for key in keys {
      guard let field = schema.fields[key] else { continue }
      if field.isEncrypted {
        throw BrumeError(
          .badRequest,
          "desired key '\(key)' of type '\(type)' is encrypted; pushes cannot carry it; fetch "
            + "the record for it"
        )
      }
      if !DesiredKeys.isAllowed(field.type) {
        throw BrumeError(
          .badRequest,
          "desired key '\(key)' of type '\(type)' is a list, bytes or a file; pushes carry texts, "
            + "numbers, dates, locations and references only")
      }
    }
  }

  private static func name(_ kind: Subscription.Kind) -> String {
    switch kind {
    case .query: "query"
    case .zone: "zone"
    case .database: "database"
    }
  }
}

extension NotificationInfo {
  /// How large its texts are.
  var byteCount: Int {
    var texts = [
      alertActionLocalizationKey, alertLaunchImage, soundName, category, collapseIDKey,
    ].compactMap { $0 }
    for text in [alert, title, subtitle] {
      texts += [text.literal, text.localizationKey].compactMap { $0 } + text.localizationArgs
    }
    return (texts + desiredKeys).reduce(0) { $0 + $1.utf8.count + 1 }
  }
}
