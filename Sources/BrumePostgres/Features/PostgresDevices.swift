// Devices in PostgreSQL.

import BrumeModel
import BrumeStorage

final class PostgresDevices: DeviceWriting, Remembering {
  private let session: Session
  private let places: Places
  private let mailboxes: PostgresMailboxes
  private let notifications: PostgresNotifications
  private let locks: Locks
  private let leases: PostgresLeases
  private let changes: AccountChanges
  private var known: [ByteText: Device?] = [:]
  private var lists: [AccountKey: [Device]] = [:]

  init(
    _ session: Session, _ places: Places, _ locks: Locks, _ mailboxes: PostgresMailboxes,
    _ notifications: PostgresNotifications, _ leases: PostgresLeases, _ changes: AccountChanges
  ) {
    self.changes = changes
    self.leases = leases
    self.session = session
    self.places = places
    self.mailboxes = mailboxes
    self.notifications = notifications
    self.locks = locks
  }

  // MARK: Reading

  func find(_ key: DeviceKey) throws -> Device? {
    if known[key.byteText] == nil { try session.ask([question(key)]) }
    return known[key.byteText] ?? nil
  }

  func all(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> [Device] {
    let account = AccountKey(user, containerEnvironment)
    if lists[account] == nil { try session.ask(questions(user, containerEnvironment)) }
    return lists[account] ?? []
  }

  func all(of user: UserID) throws -> [Device] {
    try session.all(Self.ofUser, [.text(user.name)]) { try $0.device() }
  }

  func all(courierToken: String) throws -> [Device] {
    try session.all(Self.ofCourier, [.text(courierToken)]) { try $0.device() }
  }

  func all(address: String) throws -> [Device] {
    try session.all(Self.atAddress, [.text(address)]) { try $0.device() }
  }

  func withPendingEntries(
    after cursor: PendingCursor?, limit: Int
  ) throws -> (devices: [Device], next: PendingCursor?) {
    // Whoever notifies for a bucket sends for it.
    try PendingDevices(session, in: leases.buckets).page(after: cursor, limit: limit)
  }

  // MARK: Writing

  func put(_ device: Device) throws {
    try session.requireCoordinator()
    session.put(
      places.values(device.key) + columns(of: device.channel) + [.integer(device.registered)],
      in: Self.table)
    known[device.key.byteText] = .some(device)
    lists[device.key.account] = nil
  }

  func remove(_ key: DeviceKey) throws {
    if try find(key) != nil { try changes.noteRemoved(key) }
    session.remove(places.values(key), from: Self.table)
    known[key.byteText] = .some(nil)
    lists[key.account] = nil
    try mailboxes.removeAll(of: key)
  }

  /// From `channel` to `push_secret`.
  private func columns(of channel: Device.Channel) -> [SQLValue] {
    let kind = SQLValue.text(channel.kind.rawValue)
    return switch channel {
    case .stream: [kind, .null, .null, .null, .null, .null]
    case .courier(let token): [kind, .text(token), .null, .null, .null, .null]
    case .apns(let token, let environment, let topic):
      [kind, .text(token), .text(environment.rawValue), .text(topic), .null, .null]
    case .webPush(let target):
      [kind, .text(target.endpoint), .null, .null, .bytes(target.key), .bytes(target.secret)]
    }
  }

  // MARK: Plans

  func question(_ key: DeviceKey) -> Question {
    Question(Self.find, places.values(key)) { [self] rows in
      known[key.byteText] = .some(try rows.first?.device())
    }
  }

  /// All devices of a user. Whoever asks in a write is about to put something into each mailbox, so what
  /// is in them is asked too.
  func questions(_ user: UserID, _ containerEnvironment: ContainerEnvironment) -> [Question] {
    let account = AccountKey(user, containerEnvironment)
    let own = Question(Self.ofAccount, places.values(account)) { [self] rows in
      let devices = try rows.map { try $0.device() }
      lists[account] = devices
      for device in devices { known[device.key.byteText] = .some(device) }
    }
    guard locks.isWriter else { return [own] }
    return mailboxes.questions(account) + [notifications.question(account), own]
  }

  func forget() { (known, lists) = ([:], [:]) }
}

// MARK: Statements

extension PostgresDevices {
  private static let table = Table(
    "devices", key: AccountKey.columns + [("device", .text)],
    columns: [
      ("channel", .text), ("token", .text), ("token_environment", .text), ("topic", .text),
      ("push_key", .bytes), ("push_secret", .bytes), ("registered", .integer),
    ])
  /// As `Row.device` reads it.
  static let select = """
    SELECT container, environment, user_id, device, channel, token, token_environment, topic,
      push_key, push_secret, registered
    FROM devices
    """
  private static let order = "container, environment, user_id, device"
  private static let find = SQL("\(select) WHERE \(AccountKey.condition) AND device = $5")
  private static let ofAccount = SQL("\(select) WHERE \(AccountKey.condition) ORDER BY device")
  private static let ofUser = SQL("\(select) WHERE user_id = $1 ORDER BY \(order)")
  private static let ofCourier = SQL(
    "\(select) WHERE token = $1 AND channel = 'courier' ORDER BY registered, \(order)")
  private static let atAddress = SQL(
    "\(select) WHERE token = $1 AND channel IN ('apns', 'webpush') ORDER BY \(order)")
}

extension Row {
  func device() throws -> Device {
    let kind = try known(Device.Channel.Kind(rawValue: text(4)), "channel")
    let channel: Device.Channel
    switch kind {
    case .stream: channel = .stream
    case .courier: channel = .courier(token: text(5))
    case .apns:
      let environment = try known(Environment(rawValue: text(6)), "environment")
      channel = .apns(token: text(5), environment: environment, topic: optionalText(7))
    case .webpush:
      channel = .webPush(WebPushTarget(endpoint: text(5), key: bytes(8), secret: bytes(9)))
    }
    let key = DeviceKey(
      in: try containerEnvironment(0), user: UserID(text(2)), device: DeviceID(text(3)))
    return Device(key: key, channel: channel, registered: integer(10))
  }
}
