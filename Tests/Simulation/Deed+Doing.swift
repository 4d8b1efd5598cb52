// How each deed is done: by the framework's calls, as an app does it.

import BrumeKit
import BrumeModel
import Foundation

extension Deed {
  /// - Parameter word: what the deed writes, if it does.
  func carryOut(in world: World, _ word: String) async {
    let node = world.nodes[device % world.nodes.count]
    let device = world.devices[device]
    switch kind {
    case .edit(let name):
      guard let own = device.own else { return Sharing(world).edit(name, on: device, word) }
      own.edit(name, in: NotesApp.notes, adding: word)
    case .delete(let name): device.own?.delete(name, in: NotesApp.notes)
    case .editShared(let name): Sharing(world).edit(name, on: device, word)
    case .batch(let names, let deleting, let isAtomic):
      await device.hand.save(names, deleting, isAtomic: isAtomic, word)
      await device.apps[0].fetch()
    case .fetchByHand: await device.hand.fetch()
    case .temporaryZone(let isDeleted):
      device.own?.temporary(isDeleted: isDeleted, adding: word)
    case .permit(let permission):
      await Sharing(world).permit(permission, to: participant(in: world))
    case .stopSharing: await Sharing(world).stop()
    case .accept: await Sharing(world).accept(by: participant(in: world))
    case .leave: await Sharing(world).leave(participant(in: world))
    case .purge(let name):
      await world.purge(name, of: name == "Shared" ? alicesDevice(in: world) : device)
    case .reset: await world.resetEncryptedData(of: device)
    case .set: await device.hand.set(word)
    case .watch(let wish): await alicesDevice(in: world).hand.watch(wish)
    case .stopWatching(let id): await alicesDevice(in: world).hand.stopWatching(id)
    case .restartApp: device.restartApp()
    case .signOut: await signOut(device, world)
    case .cut(let time): device.transport.cut(for: time)
    case .killServer(let atCommit):
      if atCommit { world.killsAtCommit = true } else { await world.killServerForAWhile(on: node) }
    case .pauseServer(let time, let atNotifierWrite):
      if atNotifierWrite { world.pausesNotifier = time } else { world.pause(node, for: time) }
    case .jump(let time):
      world.note("clocks jump by \(time)")
      if time % 2 == 0 { world.jump(node, by: time) } else { device.skew += time }
    }
  }

  /// Whom a deed of the share is about.
  private func participant(in world: World) -> Device {
    let all = world.participants
    return all[device % all.count]
  }

  private func alicesDevice(in world: World) -> Device {
    let all = world.devices.filter { $0.user == "alice" }
    return all[device % all.count]
  }

  private func signOut(_ device: Device, _ world: World) async {
    if !device.transport.isSignedIn { return }
    device.signOut()
    await world.sleep(700)
    if !device.transport.isSignedIn { device.signIn() }
  }
}
