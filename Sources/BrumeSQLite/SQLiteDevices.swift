// Devices in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteDevices: DeviceWriting, Remembering {
  /// Ours: devices, and users without one, that the writer remembers. A change to more than these asks for
  /// each user's.
  private static let limit = 10_000

  private let connection: Connection
  private let numbers: DeviceNumbers
  private let mailboxes: SQLiteMailboxes
  private let isWriter: Bool
  /// What each push to a user asks for; kept by the writer only.
  private var known: [AccountKey: [Device]] = [:]
  private var knownCount = 0

  init(
    _ connection: Connection, _ numbers: DeviceNumbers, _ mailboxes: SQLiteMailboxes,
    isWriter: Bool
  ) {
    self.connection = connection
    self.numbers = numbers
    self.mailboxes = mailboxes
    self.isWriter = isWriter
  }

  /// What is damaged counts as not registered, here and in lists: nothing is sent to where it says, and apps
  /// register again at each of their starts.
  func find(_ key: DeviceKey) throws -> Device? {
    try connection.allWhole(Self.find, .devices, { $0.bind(key) }) { try $0.device() }.first
  }

  func all(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> [Device] {
    let account = AccountKey(user, containerEnvironment)
    if let known = known[account] { return known }
    let devices = try connection.allWhole(
      Self.ofUser, .devices, { $0.bind(user, containerEnvironment) }
    ) { row in
      let device = try row.device()
      // Whoever asks for all is about to put something into each mailbox.
      numbers.learn(row.int(9), device.key)
      return device
    }
    if isWriter { learn(devices, of: account) }
    return devices
  }

  private func learn(_ devices: [Device], of account: AccountKey) {
    known[account] = devices
    knownCount += max(1, devices.count)
  }

  private func forget(_ account: AccountKey) {
    if let devices = known.removeValue(forKey: account) { knownCount -= max(1, devices.count) }
  }

  func bodyBegins() { if knownCount > Self.limit { forget() } }

  func forget() { (known, knownCount) = ([:], 0) }

  func all(of user: UserID) throws -> [Device] {
    try connection.allWhole(Self.everywhere, .devices, { $0.bind(1, user.name) }) {
      try $0.device()
    }
  }

  func all(courierToken: String) throws -> [Device] {
    try connection.allWhole(Self.ofCourier, .devices, { $0.bind(1, courierToken) }) {
      try $0.device()
    }
  }

  func put(_ device: Device) throws {
    forget(device.key.account)
    try connection.run(Self.put) {
      $0.bind(device.key)
      $0.bind(5, device.channel.kind.rawValue)
      $0.bind(device.channel)
      $0.bind(8, device.registered)
    }
  }

  func remove(_ key: DeviceKey) throws {
    guard let number = try numbers.number(of: key) else { return }
    numbers.forget(key)
    forget(key.account)
    try mailboxes.removeAll(of: number)
    try connection.run(Self.remove) { $0.bind(1, number) }
  }

  func withPendingEntries(
    after cursor: PendingCursor?, limit: Int
  ) throws -> (devices: [Device], next: PendingCursor?) {
    var last: Int64?
    let found = try connection.allWhole(
      Self.withPendingEntries, .devices, limit: limit, { $0.bind(1, cursor?.numbers.first ?? 0) }
    ) { row in
      last = row.int(9)
      return try row.device()
    }
    return (found, found.count < limit ? nil : last.map { PendingCursor([$0]) })
  }

  func all(address: String) throws -> [Device] {
    try connection.allWhole(Self.atAddress, .devices, { $0.bind(1, address) }) { try $0.device() }
  }

  private static let columns = SummedTable.devices.whole
  private static let order = "container, environment, user, device"
  private static let place = "container = ?1 AND environment = ?2 AND user = ?3"
  private static let find = SQL(
    "SELECT \(columns) FROM devices WHERE \(place) AND device = ?4 AND channel IS NOT NULL")
  private static let ofUser = SQL(
    """
    SELECT \(columns) FROM devices WHERE \(place) AND channel IS NOT NULL ORDER BY device
    """)
  private static let everywhere = SQL(
    """
    SELECT \(columns) FROM devices WHERE user = ?1 AND channel IS NOT NULL ORDER BY \(order)
    """)
  private static let ofCourier = SQL(
    """
    SELECT \(columns) FROM devices WHERE token = ?1 AND channel = 'courier'
    ORDER BY registered, \(order)
    """)
  private static let put = SQL(
    SummedTable.devices.insertNext(
      ending: """
        ON CONFLICT (container, environment, user, device) DO UPDATE
          SET channel = excluded.channel, token = excluded.token,
            token_environment = excluded.token_environment, registered = excluded.registered,
            detail = excluded.detail,
            checksum = row_sum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, id)
        """))
  private static let remove = SQL("DELETE FROM devices WHERE id = ?1")
  private static let withPendingEntries = SQL(
    """
    SELECT \(columns) FROM devices
    WHERE channel IN ('apns', 'webpush') AND id > ?1
      AND EXISTS (SELECT 1 FROM mailbox WHERE mailbox.device = devices.id)
    ORDER BY id
    """)
  private static let atAddress = SQL(
    """
    SELECT \(columns) FROM devices
    WHERE token = ?1 AND channel IN ('apns', 'webpush') ORDER BY \(order)
    """)
}

extension Prepared {
  func bind(_ user: UserID, _ containerEnvironment: ContainerEnvironment) {
    bind(containerEnvironment, from: 1)
    bind(3, user.name)
  }

  func bind(_ device: DeviceKey) {
    bind(device.user, device.containerEnvironment)
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

  fileprivate func device() throws -> Device {
    let kind = try known(Device.Channel.Kind(rawValue: text(4)), "channel of a device")
    let channel: Device.Channel
    switch kind {
    case .stream: channel = .stream
    case .courier: channel = .courier(token: text(5))
    case .apns:
      channel = .apns(token: text(5), environment: try environment(6), topic: optionalText(8))
    case .webpush: channel = .webPush(try webPushTarget())
    }
    let key = DeviceKey(
      in: try containerEnvironment(0), user: UserID(text(2)), device: DeviceID(text(3)))
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
