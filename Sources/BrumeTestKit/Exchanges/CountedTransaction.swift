// This forwards what a body reads and writes, and counts what of it would be an exchange with an engine on the
// other side of a network. What is written and needs no answer waits for the commit, as such an engine would
// let it.

import BrumeStorage

final class CountedTransaction<Inner: ReadTransaction>: ReadTransaction {
  let records: CountedRecords<Inner.Records>
  let queries: CountedQueries<Inner.Queries>
  let changes: CountedChanges<Inner.Changes>
  let zones: CountedZones<Inner.Zones>
  let sequences: CountedSequences<Inner.Sequences>
  let log: CountedLog<Inner.Log>
  let subscriptions: CountedSubscriptions<Inner.Subscriptions>
  let devices: CountedDevices<Inner.Devices>
  let mailboxes: CountedMailboxes<Inner.Mailboxes>
  let notifications: CountedNotifications<Inner.Notifications>
  let apnsSenders: CountedAPNsSenders<Inner.APNsSenders>
  let webhooks: CountedWebhooks<Inner.Webhooks>
  let pushLog: CountedPushLog<Inner.PushLog>
  let history: CountedHistory<Inner.History>
  let users: CountedUsers<Inner.Users>
  let credentials: CountedCredentials<Inner.Credentials>
  let roles: CountedRoles<Inner.Roles>
  let shares: CountedShares<Inner.Shares>
  let settings: CountedSettings<Inner.Settings>
  let assets: CountedAssets<Inner.Assets>
  let operators: CountedOperators<Inner.Operators>
  let audit: CountedAudit<Inner.Audit>
  private let inner: Inner

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    records = .init(inner.records, count)
    queries = .init(inner.queries, count)
    changes = .init(inner.changes, count)
    zones = .init(inner.zones, count)
    sequences = .init(inner.sequences, count)
    log = .init(inner.log, count)
    subscriptions = .init(inner.subscriptions, count)
    devices = .init(inner.devices, count)
    mailboxes = .init(inner.mailboxes, count)
    notifications = .init(inner.notifications, count)
    apnsSenders = .init(inner.apnsSenders, count)
    webhooks = .init(inner.webhooks, count)
    pushLog = .init(inner.pushLog, count)
    history = .init(inner.history, count)
    users = .init(inner.users, count)
    credentials = .init(inner.credentials, count)
    roles = .init(inner.roles, count)
    shares = .init(inner.shares, count)
    settings = .init(inner.settings, count)
    assets = .init(inner.assets, count)
    operators = .init(inner.operators, count)
    audit = .init(inner.audit, count)
  }
}

extension CountedTransaction: WriteTransaction where Inner: WriteTransaction {
  var isAwaited: Bool { inner.isAwaited }
}
