// What a body gets: the features of a store, each by its name, such as `transaction.zones.find(key)`
// (docs/decisions/0031-a-transaction-has-features.md).
//
// Which type a feature has is the engine's affair, and a type of its own in these protocols, so that what
// only reads has no function that writes. Features are classes: getting at one makes nothing.

/// Everything that can be read.
///
/// It belongs to one run of one body, on its thread. Its calls throw `StoreError` if the engine fails or
/// stored bytes make no sense, and `CancellationError` if nobody waits for the body's answer. What the engine finds
/// damaged is the `BrumeError` for damage (`BrumeError.damaged`) for who asks for it, and is left out of lists
/// unless they say otherwise; damaged devices, roles and memberships count as not there.
package protocol ReadTransaction: AnyObject {
  associatedtype Records: RecordReading
  associatedtype Queries: QueryReading
  associatedtype Changes: ChangeReading
  associatedtype Zones: ZoneReading
  associatedtype Sequences: SequenceReading
  associatedtype Log: LogReading
  associatedtype Subscriptions: SubscriptionReading
  associatedtype Devices: DeviceReading
  associatedtype Mailboxes: MailboxReading
  associatedtype Notifications: NotificationReading
  associatedtype APNsSenders: APNsSenderReading
  associatedtype Webhooks: WebhookReading
  associatedtype PushLog: PushLogReading
  associatedtype History: HistoryReading
  associatedtype Users: UserReading
  associatedtype Credentials: CredentialReading
  associatedtype Roles: RoleReading
  associatedtype Shares: ShareReading
  associatedtype Settings: SettingReading
  associatedtype Assets: AssetReading
  associatedtype Operators: OperatorReading
  associatedtype Audit: AuditReading

  /// Live and deleted records.
  var records: Records { get }
  /// Records by what is in them.
  var queries: Queries { get }
  /// What changed in a zone, in order.
  var changes: Changes { get }
  /// Zones, and which databases there are.
  var zones: Zones { get }
  /// The order of changes in a database.
  var sequences: Sequences { get }
  /// All changes, for notifications, webhooks and the history.
  var log: Log { get }
  /// Users' subscriptions.
  var subscriptions: Subscriptions { get }
  /// Registered devices, and how each is reached.
  var devices: Devices { get }
  /// What waits for devices.
  var mailboxes: Mailboxes { get }
  /// Users' notification feeds and badges.
  var notifications: Notifications { get }
  /// Who signs for Apple, by container.
  var apnsSenders: APNsSenders { get }
  /// Webhooks, and how far each is.
  var webhooks: Webhooks { get }
  /// What was sent to devices and webhooks, with what came of it.
  var pushLog: PushLog { get }
  /// What the notifier did for each change.
  var history: History { get }
  /// Accounts and their linked identities.
  var users: Users { get }
  /// API tokens, server-to-server keys and used signatures.
  var credentials: Credentials { get }
  /// Who has which role in the public database.
  var roles: Roles { get }
  /// Who accepted which share, and short GUIDs.
  var shares: Shares { get }
  /// Small values by name.
  var settings: Settings { get }
  /// The rows of asset files and uploads.
  var assets: Assets { get }
  /// Operators and their credentials.
  var operators: Operators { get }
  /// What operators did.
  var audit: Audit { get }
}

/// Everything that can be written.
///
/// Its calls throw what ``ReadTransaction`` says; a failure of the engine undoes the whole body, even if the
/// body caught the error. It may change what the write's scope covers: see ``WriteScope``.
package protocol WriteTransaction: ReadTransaction
where
  Records: RecordWriting,
  Zones: ZoneWriting,
  Sequences: SequenceWriting,
  Log: LogWriting,
  Subscriptions: SubscriptionWriting,
  Devices: DeviceWriting,
  Mailboxes: MailboxWriting,
  Notifications: NotificationWriting,
  APNsSenders: APNsSenderWriting,
  Webhooks: WebhookWriting,
  PushLog: PushLogWriting,
  History: HistoryWriting,
  Users: UserWriting,
  Credentials: CredentialWriting,
  Roles: RoleWriting,
  Shares: ShareWriting,
  Settings: SettingWriting,
  Assets: AssetWriting,
  Operators: OperatorWriting,
  Audit: AuditWriting
{
  /// Whether other writes wait for this transaction to end. Work that can go on in a later one ends
  /// soon then.
  var isAwaited: Bool { get }
}
