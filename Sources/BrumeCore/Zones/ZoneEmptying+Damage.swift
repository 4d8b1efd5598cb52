// Deleted zones one by one. One look at all of them reads rows of each, and where a page with some is damaged it says of none
// what is left: nobody is to wait for that page.

import BrumeModel
import BrumeStorage

extension ZoneEmptying {
  /// Deleted zones of which rows are left. Nil: the look met damage.
  func allLeft(limit: Int) async throws -> [ZoneKey]? {
    do {
      return try await store.read { try $0.zones.unfinishedDeletions(limit: limit) }
    } catch let error where error.saysDamage {
      return nil
    }
  }

  /// Removes the rows of all deleted zones but the damaged ones, and adds to `count` how many had some.
  func finishEach(_ count: inout Int, _ damage: inout FirstDamage) async throws {
    for place in try await store.read({ try $0.containerEnvironments() }) {
      for database in try await store.read({ try $0.zones.databases(in: place) }) {
        try Task.checkCancellation()
        do {
          for zone in try await deleted(in: database) {
            do {
              if try await finishIfLeft(zone) { count += 1 }
            } catch {
              try damage.note(error)
            }
          }
        } catch {
          try damage.note(error)
        }
      }
    }
  }

  /// The same for a user, whose own damaged zones are an error.
  func finishEach(of user: UserID) async throws {
    for database in try await store.read({ try $0.zones.databases(of: user) }) {
      for zone in try await deleted(in: database) { _ = try await finishIfLeft(zone) }
    }
  }

  /// Whether rows are left of them or not.
  private func deleted(in database: DatabaseKey) async throws -> [ZoneKey] {
    try await store.read { transaction in
      try transaction.zones.changed(in: database, after: 0, limit: .max)
        .filter { !$0.isLive }.map(\.key)
    }
  }

  /// Answers whether there were any rows.
  private func finishIfLeft(_ zone: ZoneKey) async throws -> Bool {
    guard try await store.read({ try $0.hasRows(in: zone) }) else { return false }
    try Task.checkCancellation()
    try await finish([zone])
    return true
  }
}
