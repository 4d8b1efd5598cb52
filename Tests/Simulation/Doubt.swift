// Commits of which the disk does not say whether they took effect, as when a connection is lost during COMMIT or the disk fails.
// The promise of the storage port is that a store which cannot say it does nothing more: whoever supervises the server starts
// another one, which reads what is there.

import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeTestKit

enum Doubt {
  /// Nothing of it happened.
  case lost
  /// It took effect.
  case kept
  /// It took effect, and the store finds that out, after so long; what else is asked meanwhile is refused.
  case found(after: Milliseconds)

  static let error = StoreError(.unavailable, "nobody knows whether the last write happened")
}

extension ProcessStore {
  /// Whether the next commit is one of those. PostgreSQL is asked until it answers.
  func nextDoubt() -> Doubt? {
    let world = node.world
    let isPlanted = world.planted == .unknownCommit && Exchange.current?.isModify == true
    guard node.process?.store === self, world.happens(onceIn: isPlanted ? 3 : 80) else {
      return nil
    }
    if isPlanted { return .kept }
    if isShared, world.chance.one(in: 2) {
      return .found(after: Milliseconds(50 + world.chance.next(below: 800)))
    }
    return world.chance.one(in: 3) ? .lost : .kept
  }

  /// Nobody reads or writes here any more.
  func end(in doubt: Doubt) throws {
    node.world.note("\(name) does not know whether a write happened: \(doubt)")
    isBroken = true
    if case .kept = doubt, let id = Exchange.current?.id {
      node.world.unknownOperations.insert(id)
    }
    try check()
  }

  func wait(for time: Milliseconds) async {
    node.world.note("\(name) asks for \(time) whether a write happened")
    isAskingUntil = node.world.now + time
    await Task { [node] in await node.world.sleep(time) }.value
  }
}

extension ServerProcess {
  /// A server whose storage has failed ends, and another one is started.
  func superviseStorage() {
    guard isAlive, let error = composition.health.failure, let node, node.process === self else {
      return
    }
    node.world.serverFailed(on: node, error)
  }
}
