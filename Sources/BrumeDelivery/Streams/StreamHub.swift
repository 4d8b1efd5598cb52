// Which devices are at their event stream, so that what was just committed goes straight to them.
//
// Handing over is a short cut and promises nothing: what it misses, the stream reads from the
// mailbox. A stream joins before it reads, so no commit falls in between.

package import BrumeCore
package import BrumeModel
package import BrumeStorage
import Synchronization

/// One open stream. Its methods return at once; what they ask for happens on the connection.
package protocol StreamListener: AnyObject, Sendable {
  /// Whether delivered entries are sent at once.
  var hasCaughtUp: Bool { get }
  /// Entries of the device's mailbox that are durable now.
  func take(_ entries: [MailboxEntry])
  /// The mailbox may hold something new.
  func look()
  /// The device has handled everything up to and including this position.
  func acknowledged(through position: Int64)
  /// The device may have been removed.
  func lookForDevice()
  /// The server ends, the user has signed out, or another stream takes its place.
  ///
  /// - Parameter error: what the client is answered, if it must not come back as it is; nil: it may.
  func end(because error: BrumeError?)
}

extension DeviceRemovals {
  /// Notifies those who serve devices here.
  package init(_ streams: StreamHub, _ signals: MailboxSignals) {
    self.init { devices in
      streams.removed(devices)
      signals.signal(devices)
    }
  }
}

/// The open streams of a server, by device.
package final class StreamHub: Sendable {
  fileprivate struct State {
    var listeners: [DeviceKey: [any StreamListener]] = [:]
    /// Those with a stream that has caught up.
    var connected: [UserID: Set<DeviceKey>] = [:]
    var count = 0
    /// How often devices were said to be removed.
    var removals = 0
  }
  /// An entry in the mailbox of a device.
  package typealias Entry = (device: DeviceKey, entry: MailboxEntry)
  /// For one open stream, an entry by its place among those that are delivered together: they are
  /// thousands, so they are not copied.
  package typealias Delivery = (listener: any StreamListener, index: Int)
  private let state = Mutex(State())
  private let send: @Sendable ([Entry], [Delivery]) -> Void

  /// - Parameter send: hands entries to their listeners, in their order for each.
  package init(
    sendingWith send: @escaping @Sendable ([Entry], [Delivery]) -> Void = { entries, deliveries in
      for (listener, index) in deliveries { listener.take([entries[index].entry]) }
    }
  ) {
    self.send = send
  }

  /// Open streams.
  package var count: Int { state.withLock { $0.count } }

  /// A stream is open. `leave` follows.
  package func join(_ listener: any StreamListener, as device: DeviceKey) {
    state.withLock { state in
      state.count += 1
      state.listeners[device, default: []].append(listener)
      state.noteWhetherConnected(device)
    }
  }

  /// A stream has ended. One that never joined, or left already, changes nothing.
  package func leave(_ listener: any StreamListener, as device: DeviceKey) {
    state.withLock { state in
      guard let index = state.listeners[device]?.firstIndex(where: { $0 === listener }) else {
        return
      }
      state.count -= 1
      state.listeners[device]?.remove(at: index)
      if state.listeners[device]?.isEmpty == true { state.listeners[device] = nil }
      state.noteWhetherConnected(device)
    }
  }

  /// Entries that are durable now, in the order of their positions.
  package func deliver(_ entries: [Entry]) {
    let deliveries = state.withLock { state in
      var deliveries: [Delivery] = []
      if state.listeners.isEmpty { return deliveries }
      deliveries.reserveCapacity(entries.count)
      for index in entries.indices {
        guard let listeners = state.listeners[entries[index].device] else { continue }
        for listener in listeners { deliveries.append((listener, index)) }
      }
      return deliveries
    }
    if !deliveries.isEmpty { send(entries, deliveries) }
  }

  /// The mailbox of a device may hold something new.
  package func look(at device: DeviceKey) {
    for listener in listeners(of: device) { listener.look() }
  }

  /// Any mailbox may hold something new.
  package func lookEverywhere() {
    for listener in state.withLock({ $0.listeners.values.flatMap(\.self) }) { listener.look() }
  }

  /// These devices were removed; whether they are registered again, their streams see for themselves.
  package func removed(_ devices: some Sequence<DeviceKey>) {
    let listeners = state.withLock { state in
      state.removals += 1
      return devices.flatMap { state.listeners[$0] ?? [] }
    }
    for listener in listeners { listener.lookForDevice() }
  }

  /// Changes whenever a device was said to be removed. A stream whose device was registered at one number looks for it
  /// if it has joined at another.
  package var removals: Int { state.withLock { $0.removals } }

  /// The stream of a device that has been open for longest.
  package func oldest(of device: DeviceKey) -> (any StreamListener)? {
    state.withLock { $0.listeners[device]?.first }
  }

  /// A device has handled everything up to and including this position.
  package func acknowledged(through position: Int64, by device: DeviceKey) {
    for listener in listeners(of: device) { listener.acknowledged(through: position) }
  }

  /// Ends all streams.
  package func end() { end { _ in true } }

  /// Ends the streams of a user, on all devices.
  package func end(of user: UserID) { end { $0.user == user } }

  /// Ends all streams of a container environment.
  package func end(in containerEnvironment: ContainerEnvironment) {
    end { $0.containerEnvironment == containerEnvironment }
  }

  private func end(where isMeant: (DeviceKey) -> Bool) {
    let ended = state.withLock { state in
      state.listeners.filter { isMeant($0.key) }.flatMap(\.value)
    }
    for listener in ended { listener.end(because: nil) }
  }

  /// A stream of the device has caught up, or has fallen behind.
  package func caughtUpChanged(of device: DeviceKey) {
    state.withLock { $0.noteWhetherConnected(device) }
  }

  /// The devices of these users that get everything as it is committed.
  package func connectedDevices(of users: Set<UserID>) -> [UserID: Set<DeviceKey>] {
    state.withLock { state in
      // No device is looked at: a fan-out asks for thousands.
      users.reduce(into: [:]) { $0[$1] = state.connected[$1] }
    }
  }

  private func listeners(of device: DeviceKey) -> [any StreamListener] {
    state.withLock { $0.listeners[device] ?? [] }
  }
}

extension StreamHub.State {
  fileprivate mutating func noteWhetherConnected(_ device: DeviceKey) {
    if listeners[device]?.contains(where: \.hasCaughtUp) == true {
      connected[device.user, default: []].insert(device)
    } else if connected[device.user]?.remove(device) != nil,
      connected[device.user]?.isEmpty == true
    {
      connected[device.user] = nil
    }
  }
}
