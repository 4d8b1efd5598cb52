// One transaction of the memory engine: its features, over one copy of the state.

final class MemoryTransaction: WriteTransaction {
  private let draft: MemoryDraft
  private let awaited: @Sendable () -> Bool

  init(_ draft: MemoryDraft, awaited: @escaping @Sendable () -> Bool = { false }) {
    self.draft = draft
    self.awaited = awaited
  }

  var isAwaited: Bool { awaited() }

  private(set) lazy var records: MemoryRecords = MemoryRecords(draft, assets)
  private(set) lazy var queries: MemoryQueries = MemoryQueries(draft)
  private(set) lazy var changes: MemoryChanges = MemoryChanges(draft)
  private(set) lazy var zones: MemoryZones = MemoryZones(draft)
  private(set) lazy var sequences: MemorySequences = MemorySequences(draft)
  private(set) lazy var log: MemoryLog = MemoryLog(draft)
  private(set) lazy var subscriptions: MemorySubscriptions = MemorySubscriptions(draft)
  private(set) lazy var devices: MemoryDevices = MemoryDevices(draft)
  private(set) lazy var mailboxes: MemoryMailboxes = MemoryMailboxes(draft)
  private(set) lazy var notifications: MemoryNotifications = MemoryNotifications(draft)
  private(set) lazy var apnsSenders: MemoryAPNsSenders = MemoryAPNsSenders(draft)
  private(set) lazy var webhooks: MemoryWebhooks = MemoryWebhooks(draft)
  private(set) lazy var pushLog: MemoryPushLog = MemoryPushLog(draft)
  private(set) lazy var history: MemoryHistory = MemoryHistory(draft)
  private(set) lazy var users: MemoryUsers = MemoryUsers(draft)
  private(set) lazy var credentials: MemoryCredentials = MemoryCredentials(draft)
  private(set) lazy var roles: MemoryRoles = MemoryRoles(draft)
  private(set) lazy var shares: MemoryShares = MemoryShares(draft)
  private(set) lazy var settings: MemorySettings = MemorySettings(draft)
  private(set) lazy var assets: MemoryAssets = MemoryAssets(draft)
  private(set) lazy var operators: MemoryOperators = MemoryOperators(draft)
  private(set) lazy var audit: MemoryAudit = MemoryAudit(draft)
}

/// A feature, over the copy of the state that all features of its transaction change.
class MemoryFeature {
  let draft: MemoryDraft

  init(_ draft: MemoryDraft) { self.draft = draft }
}
