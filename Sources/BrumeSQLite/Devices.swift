// Devices in SQLite. A mailbox belongs to a device's number, which exists before the device is
// registered if something is put there first.

import BrumeModel
import BrumeStorage

extension SQLiteTransaction {
  func device(_ key: DeviceKey) throws -> Device? {
    try connection.first(Self.find, { $0.bind(key) }) { try $0.device() }
  }

  func devices(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [Device] {
    try connection.all(Self.ofUser, { $0.bind(user, container, environment) }) { try $0.device() }
  }

  func devices(courierToken: String) throws -> [Device] {
    try connection.all(Self.ofCourier, { $0.bind(1, courierToken) }) { try $0.device() }
  }

  func put(_ device: Device) throws {
    try connection.run(Self.put) {
      $0.bind(device.key)
      switch device.channel {
      case .stream:
        $0.bind(5, "stream")
        $0.bind(6, nil as String?)
        $0.bind(7, nil as String?)
      case .courier(let token):
        $0.bind(5, "courier")
        $0.bind(6, token)
        $0.bind(7, nil as String?)
      case .apns(let token, let environment):
        $0.bind(5, "apns")
        $0.bind(6, token)
        $0.bind(7, environment.rawValue)
      }
      $0.bind(8, device.registered)
    }
  }

  func removeDevice(_ key: DeviceKey) throws {
    guard let number = try number(of: key) else { return }
    cache.devices[key] = nil
    cache.isProvisional = true
    try connection.run(Self.removeMail) { $0.bind(1, number) }
    try connection.run(Self.remove) { $0.bind(1, number) }
  }

  func number(of key: DeviceKey) throws -> Int64? {
    if let known = cache.devices[key] { return known }
    let number = try connection.first(Self.findNumber, { $0.bind(key) }) { $0.int(0) }
    // Device IDs are compared by bytes, the cache's keys by characters: only plain names are kept.
    if isWriter, let number, key.device.name.utf8.allSatisfy({ $0 < 0x80 }) {
      cache.devices[key] = number
      cache.isProvisional = true
    }
    return number
  }

  func givenNumber(of key: DeviceKey) throws -> Int64 {
    if let known = try number(of: key) { return known }
    try connection.run(Self.add) { $0.bind(key) }
    return connection.lastRowID
  }

  private static let columns = """
    container, environment, user, device, channel, token, token_environment, registered
    """
  private static let order = "container, environment, user, device"
  private static let place = "container = ?1 AND environment = ?2 AND user = ?3"
  private static let find = SQL(
    "SELECT \(columns) FROM devices WHERE \(place) AND device = ?4 AND channel IS NOT NULL")
  private static let findNumber = SQL("SELECT id FROM devices WHERE \(place) AND device = ?4")
  private static let ofUser = SQL(
    "SELECT \(columns) FROM devices WHERE \(place) AND channel IS NOT NULL ORDER BY device")
  private static let ofCourier = SQL(
    """
    SELECT \(columns) FROM devices WHERE token = ?1 AND channel = 'courier'
    ORDER BY registered, \(order)
    """)
  private static let add = SQL(
    "INSERT INTO devices (container, environment, user, device) VALUES (?1, ?2, ?3, ?4)")
  private static let put = SQL(
    """
    INSERT INTO devices (\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (container, environment, user, device) DO UPDATE
      SET channel = excluded.channel, token = excluded.token,
        token_environment = excluded.token_environment, registered = excluded.registered
    """)
  private static let removeMail = SQL("DELETE FROM mailbox WHERE device = ?1")
  private static let remove = SQL("DELETE FROM devices WHERE id = ?1")
}

extension Prepared {
  func bind(_ user: UserID, _ container: ContainerID, _ environment: Environment) {
    bind(1, container.name)
    bind(2, environment.rawValue)
    bind(3, user.name)
  }

  fileprivate func bind(_ device: DeviceKey) {
    bind(device.user, device.container, device.environment)
    bind(4, device.device.name)
  }

  fileprivate func device() throws -> Device {
    let channel: Device.Channel
    switch text(4) {
    case "stream": channel = .stream
    case "courier": channel = .courier(token: text(5))
    case "apns": channel = .apns(token: text(5), environment: try environment(6))
    default: throw StoreError(.corrupt, "unknown channel of a device in the database file")
    }
    let key = DeviceKey(
      container: ContainerID(text(0)), environment: try environment(1), user: UserID(text(2)),
      device: DeviceID(text(3)))
    return Device(key: key, channel: channel, registered: int(7))
  }
}
