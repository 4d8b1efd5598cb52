// Whether a record's change can concern anybody at once. Where it cannot, nobody is signalled: whoever follows the log
// finds it, with others, when `Tail` looks next.

import BrumeModel
import BrumeStorage

final class WatchedDatabases: Remembering {
  private let session: Session
  private let places: Places
  private let webhooks: KnownWebhooks
  private var subscribed: [DatabaseKey: Bool] = [:]
  private var hooked: [ContainerEnvironment: Bool] = [:]

  init(_ session: Session, _ places: Places, _ webhooks: KnownWebhooks) {
    self.session = session
    self.places = places
    self.webhooks = webhooks
  }

  /// Whether it has subscriptions of its own, or webhooks; true also if nobody has asked. Not whether a shared database
  /// shows its changes to somebody.
  func isWatched(_ database: DatabaseKey) -> Bool {
    (subscribed[database] ?? true) || (hooked[database.containerEnvironment] ?? true)
  }

  func questions(_ databases: [DatabaseKey]) -> [Question] {
    databases.map(question) + questions(of: Set(databases.map(\.containerEnvironment)))
  }

  private func questions(of environments: Set<ContainerEnvironment>) -> [Question] {
    if session.isToWorker {
      for place in environments { hooked[place] = webhooks.isHooked(place) }
      return []
    }
    return environments.map { place in
      Question(Self.findWebhook, place.values) { [self] in hooked[place] = $0.count > 0 }
    }
  }

  private func question(_ database: DatabaseKey) -> Question {
    let place = [places.bucketValue(of: database)] + database.containerEnvironment.values
    let take = { [self] (rows: Rows) in subscribed[database] = rows.count > 0 }
    guard let owner = database.owner else { return Question(Self.findPublic, place, take) }
    return Question(Self.findPrivate, place + [.text(owner.name)], take)
  }

  func forget() { (subscribed, hooked) = ([:], [:]) }

  private static let place =
    "SELECT 1 FROM subscriptions WHERE bucket = $1 AND container = $2 AND environment = $3"
  private static let findPublic = SQL(
    "\(place) AND scope = 'public' LIMIT 1", each: [.integer, .text, .text])
  private static let findPrivate = SQL(
    "\(place) AND scope = 'private' AND user_id = $4 LIMIT 1",
    each: [.integer, .text, .text, .text])
  private static let findWebhook = SQL(
    "SELECT 1 FROM webhooks WHERE container = $1 AND environment = $2 LIMIT 1")
}
