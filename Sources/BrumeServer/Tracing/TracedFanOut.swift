// The notifier's transactions and what they hand over, as spans of the requests that caused the changes.
//
// The notifier knows nothing of traces. Which requests a transaction was for shows in the entries that it
// hands over; when it ran, its store has noted. Both belong to one notifier, which does one thing at a time.

import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTracing
import Synchronization

final class TracedFanOut: Sendable {
  private let store: any Store
  private let delivery: any EntryDelivery
  private let spans: Spans
  private let mostRequests: Int
  /// When its last transaction ran, in nanoseconds since 1970.
  private let last = Mutex<ClosedRange<UInt64>?>(nil)

  init(
    _ store: any Store, _ delivery: any EntryDelivery, _ spans: Spans, limits: Limits
  ) {
    self.store = store
    self.delivery = delivery
    self.spans = spans
    mostRequests = limits.tracedPerFanOut
  }

  fileprivate func measured<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    let start = spans.now
    let value = try await body()
    let end = max(start, spans.now)
    last.withLock { $0 = start...end }
    return value
  }

  /// Entries are handed over: notes for which requests they were made, and how long that took.
  fileprivate func note(_ new: NewEntries, handingOver: () -> Void) {
    let fanOut = last.withLock { $0.take() }
    var devices: [String: Set<DeviceKey>] = [:]
    for (device, entry) in new.entries { devices[entry.requestID, default: []].insert(device) }
    let requests = devices.keys.sorted().prefix(mostRequests)
    for request in requests {
      guard let fanOut else { break }
      spans.note(
        "fan-out", causedBy: request, fanOut,
        ["brume.devices": .number(devices[request]?.count ?? 0)])
    }
    let start = spans.now
    handingOver()
    let time = start...max(start, spans.now)
    for request in requests {
      spans.note(
        "delivery", causedBy: request, time,
        ["brume.devices": .number(devices[request]?.count ?? 0)])
    }
  }

  /// What a notifier gets as its store.
  var tracedStore: any Store { FanOutStore(inner: store, fanOut: self) }
  /// What a notifier gets as its delivery.
  var tracedDelivery: any EntryDelivery { FanOutDelivery(delivery: delivery, fanOut: self) }
}

private struct FanOutDelivery: EntryDelivery {
  let delivery: any EntryDelivery
  let fanOut: TracedFanOut

  func connectedDevices(of users: Set<UserID>) -> [UserID: Set<DeviceKey>] {
    delivery.connectedDevices(of: users)
  }

  func deliver(_ new: NewEntries) { fanOut.note(new) { delivery.deliver(new) } }
}

private struct FanOutStore: WrappingStore {
  let inner: any Store
  let fanOut: TracedFanOut

  func writeRepeatable<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    try await fanOut.measured { try await inner.writeRepeatable(in: scope, reading: plan, body) }
  }
}
