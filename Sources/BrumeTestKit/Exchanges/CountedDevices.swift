// This counts the exchanges of devices.

import BrumeModel
import BrumeStorage

final class CountedDevices<Inner: DeviceReading>: Counted<Inner>, DeviceReading {
  func find(_ key: DeviceKey) throws -> Device? {
    exchanges.asks(.device(key))
    return try inner.find(key)
  }

  func all(of user: UserID, in containerEnvironment: ContainerEnvironment) throws
    -> [Device]
  {
    exchanges.asks()
    return try inner.all(of: user, in: containerEnvironment)
  }

  func all(of user: UserID) throws -> [Device] {
    exchanges.asks()
    return try inner.all(of: user)
  }

  func all(courierToken: String) throws -> [Device] {
    exchanges.asks()
    return try inner.all(courierToken: courierToken)
  }

  func withPendingEntries(after cursor: PendingCursor?, limit: Int) throws -> (
    devices: [Device], next: PendingCursor?
  ) {
    exchanges.asks()
    return try inner.withPendingEntries(after: cursor, limit: limit)
  }

  func all(address: String) throws -> [Device] {
    exchanges.asks()
    return try inner.all(address: address)
  }
}

extension CountedDevices: DeviceWriting where Inner: DeviceWriting {
  func put(_ device: Device) throws {
    exchanges.writes(.device(device.key))
    return try inner.put(device)
  }

  func remove(_ key: DeviceKey) throws {
    exchanges.writes()
    return try inner.remove(key)
  }
}
