// Devices as numbers. A mailbox belongs to a device's number, which exists before the device is registered
// if something is put there first.

import BrumeModel

final class DeviceNumbers: Remembering {
  private let connection: Connection
  private let isWriter: Bool
  private var known: [DeviceKey: Int64] = [:]
  /// The one asked for last: a delivery asks for its device more than once.
  private var last: (key: DeviceKey, number: Int64)?

  init(_ connection: Connection, isWriter: Bool) {
    self.connection = connection
    self.isWriter = isWriter
  }

  func number(of key: DeviceKey) throws -> Int64? {
    if let last, last.key == key { return last.number }
    if let number = known[key] {
      last = (key, number)
      return number
    }
    let number = try NumberedTable.devices.number(
      on: connection, of: "device '\(NameRules.shown(key.device.name))'"
    ) { $0.bind(key) }
    if let number { learn(number, key) }
    return number
  }

  func givenNumber(of key: DeviceKey) throws -> Int64 {
    if let known = try number(of: key) { return known }
    try connection.run(Self.add) { $0.bind(key) }
    return connection.lastRowID
  }

  func learn(_ number: Int64, _ key: DeviceKey) { if isWriter { known[key] = number } }

  /// The device goes.
  func forget(_ key: DeviceKey) {
    known[key] = nil
    last = nil
  }

  func bodyBegins() { if known.count > Remembered.limit { forget() } }

  func forget() { (known, last) = ([:], nil) }

  private static let add = SQL(
    SummedTable.devices.insertNext(["container", "environment", "user", "device"]))
}
