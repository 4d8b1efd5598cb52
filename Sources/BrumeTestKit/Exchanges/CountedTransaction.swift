// This forwards what a body reads and writes, and counts what of it would be an exchange with an engine on the
// other side of a network. What is written and needs no answer waits for the commit, as such an engine would
// let it. Features that neither a save, a page of changes nor a look at the log asks are passed on uncounted.

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
  let users: CountedUsers<Inner.Users>
  let roles: CountedRoles<Inner.Roles>
  let shares: CountedShares<Inner.Shares>
  let settings: CountedSettings<Inner.Settings>
  let assets: CountedAssets<Inner.Assets>
  private let inner: Inner

  var mailboxes: Inner.Mailboxes { inner.mailboxes }
  var notifications: Inner.Notifications { inner.notifications }
  var apnsSenders: Inner.APNsSenders { inner.apnsSenders }
  var webhooks: Inner.Webhooks { inner.webhooks }
  var pushLog: Inner.PushLog { inner.pushLog }
  var history: Inner.History { inner.history }
  var credentials: Inner.Credentials { inner.credentials }
  var operators: Inner.Operators { inner.operators }
  var audit: Inner.Audit { inner.audit }

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
    users = .init(inner.users, count)
    roles = .init(inner.roles, count)
    shares = .init(inner.shares, count)
    settings = .init(inner.settings, count)
    assets = .init(inner.assets, count)
  }
}

extension CountedTransaction: WriteTransaction where Inner: WriteTransaction {
  var isAwaited: Bool { inner.isAwaited }
}

/// A feature whose exchanges are counted.
class Counted<Inner> {
  let inner: Inner
  let exchanges: ExchangeCount

  init(_ inner: Inner, _ exchanges: ExchangeCount) {
    self.inner = inner
    self.exchanges = exchanges
  }
}
