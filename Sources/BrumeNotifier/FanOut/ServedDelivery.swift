// What became of one subscription that matched a change, as the history keeps it: a few bytes for it and for
// each device. Names of users, subscriptions and devices; nothing of the record, no address.

import BrumeCore
package import BrumeModel
import BrumeStorage

/// One subscription that a fan-out served or refused.
package struct ServedDelivery: Equatable, Sendable {
  /// What became of the push for one device.
  package enum Outcome: Equatable, Sendable {
    /// The push is in the mailbox. It replaced the one of the change at that log position, if that was
    /// still there.
    case put(replaced: Int64?)
    /// The mailbox was full: "fetch everything" took the place of all that was in it.
    case overflowed
    /// It made the change.
    case wrote
  }

  /// One device of the subscription's user.
  package struct Recipient: Equatable, Sendable {
    package let device: DeviceID
    /// As it was reached then.
    package let channel: Device.Channel.Kind
    package let outcome: Outcome

    fileprivate init(_ device: Device, _ outcome: Outcome) {
      self.device = device.key.device
      channel = device.channel.kind
      self.outcome = outcome
    }
  }

  /// The database that the subscription is kept in.
  package let scope: DatabaseScope
  package let user: UserID
  package let subscriptionID: String
  /// Nil: it fired.
  package var withheld: Withheld?
  /// The user's devices, if it fired.
  package var recipients: [Recipient] = []

  init(_ key: SubscriptionKey, _ withheld: Withheld? = nil) {
    scope = key.scope.scope
    user = key.scope.user
    subscriptionID = key.id
    self.withheld = withheld
  }

  /// - Parameters:
  ///   - devices: all of its user's. Those that are no recipients made the change.
  ///   - outcomes: one for each recipient.
  init(
    _ key: SubscriptionKey, _ devices: [Device], _ recipients: [Device], _ outcomes: [Outcome]
  ) {
    self.init(key)
    self.recipients = zip(recipients, outcomes).map { Recipient($0, $1) }
    guard devices.count > recipients.count else { return }
    let reached = Set(recipients.map(\.key))
    self.recipients += devices.filter { !reached.contains($0.key) }.map { Recipient($0, .wrote) }
  }

  /// Whether it is about the subscription with this key.
  package func isOf(_ key: SubscriptionKey) -> Bool {
    scope == key.scope.scope && user == key.scope.user
      && ByteText(subscriptionID) == ByteText(key.id)
  }
}

extension MailboxWriter.Result {
  var outcome: ServedDelivery.Outcome {
    overflowed ? .overflowed : .put(replaced: replaced)
  }
}

// MARK: As bytes

extension ServedDelivery {
  private static let channels: [Device.Channel.Kind] = [.stream, .courier, .apns, .webpush]
  private static let scopes: [DatabaseScope] = [.public, .private, .shared]

  func add(to packer: inout Packer) {
    packer.add(Int64(Self.scopes.firstIndex(of: scope) ?? 0))
    packer.add(user.name)
    packer.add(subscriptionID)
    packer.add(withheld?.rawValue ?? 0)
    packer.add(Int64(recipients.count))
    for recipient in recipients {
      packer.add(recipient.device.name)
      packer.add(Int64(Self.channels.firstIndex(of: recipient.channel) ?? 0))
      switch recipient.outcome {
      case .put(let replaced): packer.add(replaced ?? 0)
      case .overflowed: packer.add(-1)
      case .wrote: packer.add(-2)
      }
    }
  }

  /// The deliveries of a row of the history; those before the first that cannot be read.
  package static func all(in bytes: [UInt8]) -> [ServedDelivery] {
    var unpacker = Unpacker(bytes)
    var deliveries: [ServedDelivery] = []
    while !unpacker.isAtEnd, let next = ServedDelivery(&unpacker) { deliveries.append(next) }
    return deliveries
  }

  private init?(_ unpacker: inout Unpacker) {
    guard let scope = unpacker.number().flatMap({ Self.element(Self.scopes, at: $0) }),
      let user = unpacker.text(), let id = unpacker.text(), let withheld = unpacker.number(),
      let count = unpacker.number(), count >= 0
    else { return nil }
    self.scope = scope
    self.user = UserID(user)
    subscriptionID = id
    self.withheld = Withheld(rawValue: withheld)
    for _ in 0..<count {
      guard let recipient = Recipient(&unpacker) else { return nil }
      recipients.append(recipient)
    }
  }

  fileprivate static func element<Value>(_ values: [Value], at index: Int64) -> Value? {
    values.indices.contains(Int(clamping: index)) ? values[Int(index)] : nil
  }

  fileprivate static func channel(at index: Int64) -> Device.Channel.Kind? {
    element(channels, at: index)
  }
}

extension ServedDelivery.Recipient {
  fileprivate init?(_ unpacker: inout Unpacker) {
    guard let device = unpacker.text(),
      let channel = unpacker.number().flatMap(ServedDelivery.channel), let code = unpacker.number()
    else { return nil }
    self.device = DeviceID(device)
    self.channel = channel
    switch code {
    case -2: outcome = .wrote
    case -1: outcome = .overflowed
    case 0: outcome = .put(replaced: nil)
    default: outcome = .put(replaced: code)
    }
  }
}
