// What changed of an account, and the text that other processes read it from.

import BrumeModel

/// A change to an account, a token or a device. The column `user_id` has it as a text: a user's name; the environment and
/// the container of a token; those, the user and the name of a device, which alone may have spaces. Versions
/// before take a device for a place that nobody has.
enum AccountChange: Equatable {
  case account(UserID)
  case removedToken(ContainerEnvironment)
  case removedDevice(DeviceKey)

  init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
      .map(String.init)
    guard parts.count > 1, let environment = Environment(rawValue: parts[0]) else {
      self = .account(UserID(text))
      return
    }
    let place = ContainerEnvironment(ContainerID(parts[1]), environment)
    guard parts.count == 4 else {
      self = .removedToken(place)
      return
    }
    self = .removedDevice(
      DeviceKey(in: place, user: UserID(parts[2]), device: DeviceID(parts[3])))
  }

  var isRemovedDevice: Bool {
    if case .removedDevice = self { true } else { false }
  }

  var text: String {
    switch self {
    case .account(let user): user.name
    case .removedToken(let place): Self.text(place)
    case .removedDevice(let device):
      "\(Self.text(device.containerEnvironment)) \(device.user.name) \(device.device.name)"
    }
  }

  private static func text(_ place: ContainerEnvironment) -> String {
    "\(place.environment.rawValue) \(place.container.name)"
  }
}
