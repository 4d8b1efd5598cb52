// Which mailboxes a courier token opens. A client without a push address gets a token of its own; one
// that registered an address may poll besides, with a token for its one device. That counts for as
// long as the device has that address, so signing out or another registration ends it.

package import BrumeModel

/// What `tokens/register` found or made.
package struct RegisteredToken: Equatable, Sendable {
  /// The device, which may have entries that waited for an address.
  package let device: DeviceKey
  /// What the client polls the courier with.
  package let courierToken: String
}

struct SealedCourierToken {
  let device: DeviceKey
  let address: String

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(device.containerEnvironment)
    packer.add(device.user.name)
    packer.add(device.device.name)
    packer.add(address)
    return packer.bytes
  }
}

extension SealedCourierToken {
  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let containerEnvironment = unpacker.containerEnvironment(), let user = unpacker.text(),
      let device = unpacker.text(), let address = unpacker.text(), unpacker.isAtEnd
    else { return nil }
    self.init(
      device: DeviceKey(
        in: containerEnvironment, user: UserID(user), device: DeviceID(device)),
      address: address)
  }
}
