// Which environments have webhooks, as the coordinator said last. A transaction at a worker cannot look:
// the table is in no bucket. Who goes by what is old lets a webhook wait for the next look of `Tail`, as does a webhook that
// is made while a save is under way.

import BrumeModel
import BrumeStorage
import Synchronization

final class KnownWebhooks: Sendable {
  /// Nil: nobody has asked.
  private let hooked = Mutex<Set<ContainerEnvironment>?>(nil)

  /// True also if nobody knows.
  func isHooked(_ place: ContainerEnvironment) -> Bool {
    hooked.withLock { $0?.contains(place) ?? true }
  }

  func learn(from coordinator: Connection) throws {
    try coordinator.send(Self.find)
    let found = try coordinator.exchange()[0].map { try $0.containerEnvironment(0) }
    hooked.withLock { $0 = Set(found) }
  }

  private static let find = SQL("SELECT DISTINCT container, environment FROM webhooks")
}
