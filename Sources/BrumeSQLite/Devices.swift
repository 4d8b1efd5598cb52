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
    try connection.all(Self.ofUser, { $0.bind(user, container, environment) }) { row in
      let device = try row.device()
      // Whoever asks for all is about to put something into each mailbox.
      learn(row.int(9), device.key)
      return device
    }
  }

  func devices(of user: UserID) throws -> [Device] {
    try connection.all(Self.everywhere, { $0.bind(1, user.name) }) { try $0.device() }
  }

  func devices(courierToken: String) throws -> [Device] {
    try connection.all(Self.ofCourier, { $0.bind(1, courierToken) }) { try $0.device() }
  }

  func put(_ device: Device) throws {
    try connection.run(Self.put) {
      $0.bind(device.key)
      $0.bind(5, device.channel.kind.rawValue)
      $0.bind(device.channel)
      $0.bind(8, device.registered)
    }
  }

  func removeDevice(_ key: DeviceKey) throws {
    guard let number = try number(of: key) else { return }
    cache.devices[key] = nil
    cache.lastDevice = nil
    cache.mailboxCounts[number] = nil
    cache.isProvisional = true
    try connection.run(Self.removeEntries) { $0.bind(1, number) }
    try connection.run(Self.remove) { $0.bind(1, number) }
  }

  func number(of key: DeviceKey) throws -> Int64? {
    if let last = cache.lastDevice, last.key == key { return last.number }
    if let known = cache.devices[key] {
      cache.lastDevice = (key, known)
      return known
    }
    let number = try connection.first(Self.findNumber, { $0.bind(key) }) { $0.int(0) }
    if let number { learn(number, key) }
    return number
  }

  /// Device IDs are compared by bytes, the cache's keys by characters: only plain names are kept.
  private func learn(_ number: Int64, _ key: DeviceKey) {
    guard isWriter, key.device.name.utf8.allSatisfy({ $0 < 0x80 }) else { return }
    cache.devices[key] = number
    cache.isProvisional = true
  }

  func givenNumber(of key: DeviceKey) throws -> Int64 {
    if let known = try number(of: key) { return known }
    try connection.run(Self.add) { $0.bind(key) }
    return connection.lastRowID
  }

  static let deviceColumns = """
    container, environment, user, device, channel, token, token_environment, registered, detail
    """
  private static let order = "container, environment, user, device"
  private static let place = "container = ?1 AND environment = ?2 AND user = ?3"
  private static let find = SQL(
    "SELECT \(deviceColumns) FROM devices WHERE \(place) AND device = ?4 AND channel IS NOT NULL")
  private static let findNumber = SQL("SELECT id FROM devices WHERE \(place) AND device = ?4")
  private static let ofUser = SQL(
    """
    SELECT \(deviceColumns), id FROM devices WHERE \(place) AND channel IS NOT NULL ORDER BY device
    """)
  private static let everywhere = SQL(
    """
    SELECT \(deviceColumns) FROM devices WHERE user = ?1 AND channel IS NOT NULL ORDER BY \(order)
    """)
  private static let ofCourier = SQL(
    """
    SELECT \(deviceColumns) FROM devices WHERE token = ?1 AND channel = 'courier'
    ORDER BY registered, \(order)
    """)
  private static let add = SQL(
    "INSERT INTO devices (container, environment, user, device) VALUES (?1, ?2, ?3, ?4)")
  private static let put = SQL(
    """
    INSERT INTO devices (\(deviceColumns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT (container, environment, user, device) DO UPDATE
      SET channel = excluded.channel, token = excluded.token,
        token_environment = excluded.token_environment, registered = excluded.registered,
        detail = excluded.detail
    """)
  private static let removeEntries = SQL("DELETE FROM mailbox WHERE device = ?1")
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

  /// Token, the token's environment and what else the channel needs, at 6, 7 and 9.
  fileprivate func bind(_ channel: Device.Channel) {
    var (token, environment, detail): (String?, String?, String?) = (nil, nil, nil)
    switch channel {
    case .stream: break
    case .courier(let text): token = text
    case .apns(let text, let place, let topic):
      (token, environment, detail) = (text, place.rawValue, topic)
    case .webPush(let target):
      token = target.endpoint
      detail = [target.key, target.secret].map { Base64.text($0) }.joined(separator: " ")
    }
    bind(6, token)
    bind(7, environment)
    bind(9, detail)
  }

  func device() throws -> Device {
    guard let kind = Device.Channel.Kind(rawValue: text(4)) else {
      throw StoreError(.corrupt, "unknown channel of a device in the database file")
    }
    let channel: Device.Channel
    switch kind {
    case .stream: channel = .stream
    case .courier: channel = .courier(token: text(5))
    case .apns:
      channel = .apns(token: text(5), environment: try environment(6), topic: optionalText(8))
    case .webpush: channel = .webPush(try webPushTarget())
    }
    let key = DeviceKey(
      container: ContainerID(text(0)), environment: try environment(1), user: UserID(text(2)),
      device: DeviceID(text(3)))
    return Device(key: key, channel: channel, registered: int(7))
  }

  private func webPushTarget() throws -> WebPushTarget {
    let parts = text(8).split(separator: " ").map { Base64.bytes(String($0)) }
    guard parts.count == 2, let key = parts[0], let secret = parts[1] else {
      throw StoreError(.corrupt, "a device's push keys in the database file cannot be read")
    }
    return WebPushTarget(endpoint: text(5), key: key, secret: secret)
  }
}
