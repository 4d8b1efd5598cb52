// How many devices a user has, and to whom an address belongs.

import BrumeModel
import BrumeStorage

extension DeviceWriting {
  /// Registers a device if it is new. The registration of a stream device is renewed, because the
  /// oldest registration goes first when there are too many.
  ///
  /// - Returns: the devices that went.
  func register(_ device: Device, limits: Limits) throws -> [DeviceKey] {
    let known = try find(device.key)
    if let known, known.channel != .stream { return [] }
    try put(device)
    return known == nil ? try dropOldest(besides: device, limits: limits) : []
  }

  /// An address that the server sends to belongs to whoever registered it last.
  ///
  /// - Returns: the devices that went.
  func dropOthers(atAddressOf device: Device) throws -> [DeviceKey] {
    let address: String
    switch device.channel {
    case .stream, .courier: return []
    case .apns(let token, _, _): address = token
    case .webPush(let target): address = target.endpoint
    }
    let others = try all(address: address).filter { other in
      other.key != device.key && other.key.container == device.key.container
        && other.channel.kind == device.channel.kind
        && other.key.environment == device.key.environment
    }
    return try drop(others)
  }

  /// Keeps the number of a user's devices bounded.
  ///
  /// - Returns: the devices that went.
  func dropOldest(besides new: Device, limits: Limits) throws -> [DeviceKey] {
    let key = new.key
    let all = try all(of: key.user, in: key.containerEnvironment)
    let old = all.filter { $0.key != key }.sorted {
      ($0.channel.kind.lasting, $0.registered) < ($1.channel.kind.lasting, $1.registered)
    }
    return try drop(old.prefix(max(0, all.count - limits.devicesPerUser)))
  }

  private func drop(_ devices: some Collection<Device>) throws -> [DeviceKey] {
    try devices.map { device in
      try remove(device.key)
      return device.key
    }
  }
}

extension Device.Channel.Kind {
  /// Pages make a courier token each time they are loaded, and it ends by itself; an address that is sent to is called
  /// gone by the other side.
  fileprivate var lasting: Int {
    switch self {
    case .courier: 0
    case .stream: 1
    case .apns, .webpush: 2
    }
  }
}
