// What a push says: a subscription's wishes, filled from the change and the record.
//
// Arguments are cut to what no push exceeds; all other cuts are `PayloadBudget`'s. Encrypted fields and types that CloudKit does not
// copy are left out. Where each property ends up: docs/internals/notifications.md.

import BrumeCore
package import BrumeModel

/// Makes the notifications of one log entry.
package struct NotificationBuilder: Sendable {
  /// Of the notification.
  package let id: String
  /// The change that it is about.
  package let entry: LogEntry
  /// The record that alert texts and desired keys are filled from.
  package let image: Record?
  /// Bounds on texts, such as the collapse ID.
  package let limits: Limits

  /// The notification for one subscription.
  ///
  /// - Parameter badge: the number to show, if the subscription counts.
  package func notification(for stored: StoredSubscription, badge: Int?) -> Notification {
    let info = stored.subscription.info ?? NotificationInfo()
    let record = describesRecord(stored.subscription.kind) ? image : nil
    var notification = Notification(
      id: id, in: stored.scope.containerEnvironment, scope: stored.scope.scope,
      subscriptionID: stored.subscription.id, user: stored.scope.user,
      subject: subject(of: stored))
    notification.alert = text(info.alert, record)
    notification.title = text(info.title, record)
    notification.subtitle = text(info.subtitle, record)
    notification.alertActionLocalizationKey = info.alertActionLocalizationKey
    notification.alertLaunchImage = info.alertLaunchImage
    notification.soundName = info.soundName
    notification.category = info.category
    notification.badge = info.shouldBadge ? badge : nil
    // A push that shows nothing still has to wake the app (cases SUB-26, PSH-02).
    notification.contentAvailable = info.shouldSendContentAvailable || info.isSilent
    notification.mutableContent = info.shouldSendMutableContent
    notification.collapseID = info.collapseIDKey.map { collapseID($0, record) }
    return notification
  }

  // MARK: Parts

  private func describesRecord(_ kind: Subscription.Kind) -> Bool {
    if case .query = kind { true } else { false }
  }

  private func subject(of stored: StoredSubscription) -> Notification.Subject {
    switch (stored.subscription.kind, entry.event) {
    case (.query, .record(let change)):
      return .query(
        zone: change.record.zone.id, recordName: change.record.name,
        reason: FireRules.reason(change.kind), fields: desiredFields(stored, change))
    case (.zone(let zone, _), _): return .zone(entry.event.zone?.id ?? zone)
    case (.database, _), (.query, _): return .database(entry.event.zone?.id)
    }
  }

  /// CloudKit: `recordFields` are documented for creations and updates only.
  private func desiredFields(
    _ stored: StoredSubscription, _ change: RecordChange
  ) -> [String: FieldValue] {
    guard let image, change.kind != .deleted, let info = stored.subscription.info else {
      return [:]
    }
    var fields: [String: FieldValue] = [:]
    var names: Set<String> = []
    let wanted = info.desiredKeys.filter { names.insert($0).inserted }.prefix(limits.desiredKeys)
    for name in wanted where !image.encryptedFields.contains(name) {
      if let value = image.fields[name], DesiredKeys.isAllowed(value) { fields[name] = value }
    }
    return fields
  }

  private func text(_ wish: NotificationInfo.Text, _ record: Record?) -> Notification.Text {
    Notification.Text(
      literal: wish.literal, localizationKey: wish.localizationKey,
      // A missing field fills its place with nothing, so that later arguments keep theirs.
      // Stored subscriptions may name more fields than are allowed by now.
      localizationArgs: wish.localizationArgs.prefix(NotificationInfo.Text.mostArguments).map {
        argument($0, record)
      })
  }

  /// Ours: bytes of an argument, as many as APNs documents for a whole push.
  private static let argumentBytes = 4096

  private func argument(_ name: String, _ record: Record?) -> String {
    let text = record.flatMap { FieldText.of(name, in: $0) } ?? ""
    return TextCut.prefix(text, bytes: Self.argumentBytes)
  }

  // CloudKit: the header calls it the name of a field, the documentation page a value. Both work.
  private func collapseID(_ key: String, _ record: Record?) -> String {
    let text = record.flatMap { FieldText.of(key, in: $0) } ?? key
    return TextCut.prefix(text, bytes: limits.collapseIDBytes)
  }
}
