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
    // A device's number is its place among all, so that no other changes it by losing its mail meanwhile.
    let all = draft.state.devices.sorted { $0.key < $1.key }.enumerated()
    let rest = all.dropFirst(Int(cursor?.numbers.first ?? 0)).filter { _, device in
      device.value.channel.kind.isPushed && !(draft.state.mailboxes[device.key]?.isEmpty ?? true)
    }
    let page = rest.prefix(limit)
    let next = page.count < rest.count ? page.last?.offset : nil
    return (page.map(\.element.value), next.map { PendingCursor([Int64($0 + 1)]) })
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
