// Subscriptions: what a user asked to be notified of, and how.

/// A subscription as its user saved it.
package struct Subscription: Equatable, Sendable {
  /// Raw values are the spelling of `firesOn`.
  package enum Event: String, Hashable, Sendable, CaseIterable {
    case create, update, delete
  }
  /// Which changes are meant.
  package enum Kind: Equatable, Sendable {
    /// `zone` nil: every zone of the database.
    case query(Query, zone: ZoneID?, firesOn: Set<Event>, firesOnce: Bool)
    /// `recordType` narrows to changes of one type.
    case zone(ZoneID, recordType: String?)
    case database(recordType: String?)
  }
  /// Unique among a user's subscriptions in one database.
  package var id: String
  package var kind: Kind
  /// Nil: a push that only wakes the app.
  package var info: NotificationInfo?

  package init(id: String, kind: Kind, info: NotificationInfo?) {
    self.id = id
    self.kind = kind
    self.info = info
  }
}

/// Whose subscription it is and which database it watches.
package struct SubscriptionScope: Hashable, Sendable, InContainerEnvironment {
  package let containerEnvironment: ContainerEnvironment
  package let scope: DatabaseScope
  package let user: UserID

  package init(in containerEnvironment: ContainerEnvironment, scope: DatabaseScope, user: UserID) {
    self.containerEnvironment = containerEnvironment
    self.scope = scope
    self.user = user
  }
}

/// A subscription with its scope and the log positions at which it starts to match: it never fires
/// for what happened before.
package struct StoredSubscription: Equatable, Sendable {
  package let scope: SubscriptionScope
  package let subscription: Subscription
  /// One of the shared database follows logs of several buckets, all others that of one.
  package let starts: LogPositions

  package init(scope: SubscriptionScope, subscription: Subscription, starts: LogPositions) {
    self.scope = scope
    self.subscription = subscription
    self.starts = starts
  }
}

/// How a push looks (Apple: CKSubscription.NotificationInfo).
package struct NotificationInfo: Equatable, Sendable {
  /// Literal text, or a key with its arguments: here the names of record fields, in a notification
  /// the values of these fields.
  package struct Text: Equatable, Sendable {
    package var literal: String?
    package var localizationKey: String?
    package var localizationArgs: [String]
    /// Ours: fields that a text may name.
    package static let mostArguments = 32
    package init(
      literal: String? = nil, localizationKey: String? = nil, localizationArgs: [String] = []
    ) {
      self.literal = literal
      self.localizationKey = localizationKey
      self.localizationArgs = localizationArgs
    }
    package var isEmpty: Bool {
      literal == nil && localizationKey == nil && localizationArgs.isEmpty
    }
  }
  package var alert = Text()
  package var title = Text()
  package var subtitle = Text()
  /// The key of the button's text.
  package var alertActionLocalizationKey: String?
  package var alertLaunchImage: String?
  package var soundName: String?
  package var category: String?
  /// A record field whose value becomes the collapse identifier; if the record has no such field
  /// (or the push is not about one record), the text itself does.
  package var collapseIDKey: String?
  package var shouldBadge = false
  package var shouldSendContentAvailable = false
  package var shouldSendMutableContent = false
  /// Names of record fields to copy into the push, at most `Limits.desiredKeys`.
  package var desiredKeys: [String] = []

  package init() {}

  /// True when nothing is shown, played or counted: the push only wakes the app (case PSH-19).
  package var isSilent: Bool {
    alert.isEmpty && title.isEmpty && subtitle.isEmpty && soundName == nil && !shouldBadge
  }
}
