// From mailboxes to the devices of one server, put together: who reads them, who is notified of new entries, and the
// faults before all that in development.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeNotifier
import BrumeStorage
import Logging

struct MailboxDelivery: Sendable {
  let delivery: ServerDelivery
  let mailboxes: MailboxSource
  /// Faults of pushes to play; nil outside development.
  let pushFaults: PushFaults?
  /// What handlers, streams and the notifier call, with faults before it in development.
  let targets: CallTargets
  let reads: StreamReads
  /// Nil: this process is the only one that has the store open.
  let tail: MailboxTail?
  /// The same.
  let accounts: AccountTail?

  init(
    _ delivery: ServerDelivery, engine: Engine, store: any Store, settings: Settings,
    clock: ServerClock, host: Host, logger: Logger
  ) {
    self.delivery = delivery
    mailboxes = MailboxSource(
      store: store, signals: delivery.signals, limits: settings.limits,
      clock: clock.waiting(for: "a device that reads its mailbox"),
      maySend: SendPermission(engine.permission))
    let direct = CallTargets(engine: engine, mailboxes: mailboxes, delivery: delivery)
    pushFaults = Self.pushFaults(settings, store, delivery, host)
    targets = pushFaults.map { direct.behind($0, engine: engine) } ?? direct
    accounts = store.sharedAccounts.map {
      AccountTail($0, SignOut(engine.accounts, delivery), engine.deviceRemovals)
    }
    reads = StreamReads(targets.streamSource, accounts, logger)
    tail = Self.tail(of: store, targets, delivery, accounts, now: host.now)
  }

  /// What notifiers deliver to.
  var ofNotifiers: any EntryDelivery {
    tail == nil ? targets.delivery : DeliveryByTail(targets.delivery)
  }

  /// Nil: this is no development.
  private static func pushFaults(
    _ settings: Settings, _ store: any Store, _ delivery: ServerDelivery, _ host: Host
  ) -> PushFaults? {
    guard settings.isDevelopment else { return nil }
    return PushFaults(store: store, delivery: delivery, limits: settings.limits, now: host.now)
  }

  /// Nil: this process is the only one that has the store open.
  private static func tail(
    of store: any Store, _ targets: CallTargets, _ delivery: ServerDelivery,
    _ accounts: AccountTail?, now: @escaping @Sendable () -> Milliseconds
  ) -> MailboxTail? {
    store.sharedMailboxes.map {
      MailboxTail(
        mailboxes: $0, leases: store.leases, delivery: targets.delivery, server: delivery,
        accounts: accounts, damaged: store.damagedRows, now: now)
    }
  }
}
