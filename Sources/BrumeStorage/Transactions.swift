// What a body gets: the features of a store, each by its name, such as `transaction.zones.find(key)`
// (docs/decisions/0031-a-transaction-has-features.md).
//
// Which type a feature has is the engine's affair, and a type of its own in these protocols, so that what
// only reads has no function that writes. Features are classes: getting at one makes nothing.

/// Everything that can be read.
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

  var records: Records { get }
  var queries: Queries { get }
  var changes: Changes { get }
  var zones: Zones { get }
  var sequences: Sequences { get }
  var log: Log { get }
  var subscriptions: Subscriptions { get }
  var devices: Devices { get }
  var mailboxes: Mailboxes { get }
  var notifications: Notifications { get }
  var apnsSenders: APNsSenders { get }
  var webhooks: Webhooks { get }
  var pushLog: PushLog { get }
  var history: History { get }
  var users: Users { get }
  var credentials: Credentials { get }
  var roles: Roles { get }
  var shares: Shares { get }
  var settings: Settings { get }
  var assets: Assets { get }
  var operators: Operators { get }
  var audit: Audit { get }
}

/// Everything that can be written.
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
