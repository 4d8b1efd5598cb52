// What becomes of new entries of mailboxes in a server: streams get them, polls and the sending worker
// are notified that there are some, and so are pages of the console, which show what waits.

import BrumeDelivery
import BrumeModel
import BrumeNotifier

struct ServerDelivery: EntryDelivery {
  let streams: StreamHub
  let signals: MailboxSignals
  let inFlight: InFlightEntries
  let worker: DeliveryWorker
  let events: ConsoleEvents

  func connectedDevices(of users: Set<UserID>) -> [UserID: Set<DeviceKey>] {
    let fetching = Dictionary(grouping: inFlight.devices(of: users), by: \.user).mapValues {
      Set($0)
    }
    return streams.connectedDevices(of: users).merging(fetching) { $0.union($1) }
  }

  func deliver(_ new: NewEntries) {
    streams.deliver(new.entries)
    notifyOthers(of: new)
  }

  /// Entries that streams are to read, and so to ask again whether they may leave.
  func look(for new: NewEntries) {
    for device in Set(new.entries.map(\.device)) { streams.look(at: device) }
    notifyOthers(of: new)
  }

  private func notifyOthers(of new: NewEntries) {
    if !new.fetching.isEmpty { signals.signal(new.fetching) }
    if !new.pushed.isEmpty { worker.hint(new.pushed) }
    events.note(.pushes)
  }

  /// Any device may have pending entries.
  func lookEverywhere() {
    signals.signalAll()
    streams.lookEverywhere()
    worker.scan()
  }

  /// These devices have pending entries: notifies whoever waits for them and whoever sends them.
  func notify(_ devices: Set<DeviceKey>) {
    signals.signal(devices)
    for device in devices { streams.look(at: device) }
    worker.hint(devices)
    events.note(.pushes)
  }
}
