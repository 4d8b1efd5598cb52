// Whether a change can concern anybody. This is asked for every record that is saved, so the answers are remembered
// until subscriptions or webhooks change.

import BrumeModel
import BrumeStorage

final class WatchedDatabases: Remembering {
  private let connection: Connection
  private var watchers: [WatchedType: Bool] = [:]
  private var watchedDatabases: [DatabaseKey: Bool] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// Whether a query subscription watches a record type.
  func hasQueries(on recordType: String, in database: DatabaseKey) throws -> Bool {
    let watched = WatchedType(recordType, in: database)
    if let known = watchers[watched] { return known }
    let answer = try connection.exists(
      database.owner == nil ? Self.watchedPublic : Self.watchedOwned
    ) {
      $0.bind(database.containerEnvironment, from: 1)
      $0.bind(3, recordType)
      if let owner = database.owner { $0.bind(4, owner.name) }
    }
    watchers[watched] = answer
    return answer
  }

  /// Whether a record's change in this database can concern anybody.
  func isWatched(_ database: DatabaseKey) throws -> Bool {
    if let known = watchedDatabases[database] { return known }
    let answer = try connection.exists(
      database.owner == nil ? Self.watcherOfPublic : Self.watcherOfOwned
    ) {
      $0.bind(database.containerEnvironment, from: 1)
      if let owner = database.owner { $0.bind(3, owner.name) }
    }
    watchedDatabases[database] = answer
    return answer
  }

  func bodyBegins() {
    if watchers.count > Remembered.limit || watchedDatabases.count > Remembered.limit { forget() }
  }

  func forget() { (watchers, watchedDatabases) = ([:], [:]) }

  private static let watchedPublic = SQL(
    """
    SELECT 1 FROM subscriptions WHERE container = ?1 AND environment = ?2 AND watched_type = ?3
      AND scope = 'public' LIMIT 1
    """)
  private static let watchedOwned = SQL(
    """
    SELECT 1 FROM subscriptions WHERE container = ?1 AND environment = ?2 AND watched_type = ?3
      AND (scope = 'private' AND user = ?4 OR scope = 'shared' AND user <> ?4) LIMIT 1
    """)
  private static let watcherOfPublic = SQL(
    """
    SELECT 1 WHERE
      EXISTS (SELECT 1 FROM subscriptions
        WHERE container = ?1 AND environment = ?2 AND scope = 'public')
      OR EXISTS (SELECT 1 FROM webhooks WHERE container = ?1 AND environment = ?2)
    """)
  private static let watcherOfOwned = SQL(
    """
    SELECT 1 WHERE
      EXISTS (SELECT 1 FROM subscriptions
        WHERE container = ?1 AND environment = ?2 AND scope = 'private' AND user = ?3)
      OR EXISTS (SELECT 1 FROM subscriptions
        WHERE container = ?1 AND environment = ?2 AND scope = 'shared' AND user <> ?3)
      OR EXISTS (SELECT 1 FROM webhooks WHERE container = ?1 AND environment = ?2)
    """)
}
