// Devices in memory.

import BrumeModel

final class MemoryDevices: MemoryFeature, DeviceWriting {
  func find(_ key: DeviceKey) throws -> Device? { draft.state.devices[key.byteText] }

  func all(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> [Device] {
    draft.state.devices.values.filter {
      $0.key.user == user && $0.key.containerEnvironment == containerEnvironment
    }
    .sorted { $0.key.byteText < $1.key.byteText }
  }

  func all(of user: UserID) throws -> [Device] {
    draft.state.devices.values.filter { $0.key.user == user }.sorted {
      $0.key.byteText < $1.key.byteText
    }
  }

  func all(courierToken: String) throws -> [Device] {
    draft.state.devices.values.filter {
      if case .courier(let token) = $0.channel { token == courierToken } else { false }
    }
    .sorted {
      $0.registered == $1.registered
        ? $0.key.byteText < $1.key.byteText : $0.registered < $1.registered
    }
  }

  func put(_ device: Device) throws {
    draft.requireScope(device.key)
    draft.state.devices[device.key.byteText] = device
  }

  func remove(_ key: DeviceKey) throws {
    draft.requireScope(key)
    draft.state.devices[key.byteText] = nil
    draft.state.mailboxes[key.byteText] = nil
  }

  func withPendingEntries(
    after cursor: PendingCursor?, limit: Int
  ) throws -> (devices: [Device], next: PendingCursor?) {
    let start = cursor?.names.first.map { ByteText($0) }
    let rest = draft.state.devices.filter { name, device in
      device.channel.kind.isPushed && !(draft.state.mailboxes[name]?.isEmpty ?? true)
        && (start.map { $0 < name } ?? true)
    }
    .sorted { $0.key < $1.key }
    let page = rest.prefix(limit)
    // By the key, not by how many came before: those may have lost their mail meanwhile.
    let next = page.count < rest.count ? page.last?.key.text : nil
    return (page.map(\.value), next.map { PendingCursor([0], names: [$0]) })
  }

  func all(address: String) throws -> [Device] {
    draft.state.devices.filter {
      $0.value.channel.address.map { ByteText($0) } == ByteText(address)
    }
    .sorted { $0.key < $1.key }.map(\.value)
  }
}

extension Device.Channel {
  /// Where the server sends to, if it sends.
  fileprivate var address: String? {
    switch self {
    case .stream, .courier: nil
    case .apns(let token, _, _): token
    case .webPush(let target): target.endpoint
    }
  }
}
