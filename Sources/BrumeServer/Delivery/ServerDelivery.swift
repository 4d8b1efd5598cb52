// What becomes of new entries of mailboxes in a server: streams get them, polls and the sending worker
// are told that there are some.

import BrumeDelivery
import BrumeModel
import BrumeNotifier

struct ServerDelivery: EntryDelivery {
  let streams: StreamHub
  let signals: MailboxSignals
  let inFlight: InFlightEntries
  let worker: DeliveryWorker
  /// Nil outside development.
  let faults: FaultInjector?

  func connectedDevices(of users: Set<UserID>) -> Set<DeviceKey> {
    streams.connectedDevices(of: users).union(inFlight.devices(of: users))
  }

  func deliver(_ new: NewEntries) {
    if faults?.isIdle ?? true {
      streams.deliver(new.entries)
    } else {
      // What has to meet a fault is read from the mailbox.
      for device in Set(new.entries.map(\.device)) { streams.look(at: device) }
    }
    if !new.fetching.isEmpty { signals.signal(new.fetching) }
    if !new.pushed.isEmpty { worker.hint(new.pushed) }
  }
}
