// Everything that a server holds, as text in a fixed order and without times, IDs made by chance, or tags:
// the same steps give the same text, so a test can compare it with one that stands in its source.

import BrumeModel
import BrumeServer
import BrumeStorage

extension LocalServer {
  /// Zones, records, participants, subscriptions and waiting pushes of all users that the test named.
  ///
  /// ```
  /// alice, private
  ///   zone Notes
  ///     Note "a": text "Milk"
  /// alice's subscriptions, private
  ///   all: database
  /// pushes that wait
  ///   laptop: subscription 'all', private database changed
  /// ```
  ///
  /// Default zones without records, and databases without anything, are left out. Everything saved so far
  /// has become pushes.
  public func snapshot() async throws -> String {
    try await settle()
    let names = users.all
    let owners: [(String?, UserID?)] =
      [(nil, nil)] + names.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let containerEnvironment = self.containerEnvironment
    var lines = try await server.store.read { transaction in
      let reader = SnapshotReader(
        transaction: transaction, containerEnvironment: containerEnvironment, names: names)
      return try owners.flatMap { try reader.lines(of: $0.1, named: $0.0) }
    }
    let pushes = try await pushLines()
    if !pushes.isEmpty { lines += ["pushes that wait"] + pushes.map { "  " + $0 } }
    return lines.joined(separator: "\n")
  }
}

private struct SnapshotReader {
  let transaction: any ReadTransaction
  let containerEnvironment: ContainerEnvironment
  let names: [String: UserID]

  func lines(of user: UserID?, named name: String?) throws -> [String] {
    let database = DatabaseKey(in: containerEnvironment, owner: user)
    let zones = try transaction.zones.all(in: database).flatMap { zone in
      try lines(of: ZoneKey(database: database, name: zone.key.name))
    }
    var text = Self.block(name.map { "\($0), private" } ?? "public", zones)
    guard let user, let name else { return text }
    for scope in [DatabaseScope.public, .private, .shared] {
      let found = try transaction.subscriptions.all(
        in: SubscriptionScope(in: containerEnvironment, scope: scope, user: user))
      text += Self.block(
        "\(name)'s subscriptions, \(scope.rawValue)",
        found.map { "\($0.subscription.id): \(Self.text($0.subscription.kind))" })
    }
    return text
  }

  private static func block(_ title: String, _ lines: [String]) -> [String] {
    lines.isEmpty ? [] : [title] + lines.map { "  " + $0 }
  }

  private func lines(of zone: ZoneKey) throws -> [String] {
    let changes = try transaction.changes.page(in: zone, after: 0, through: .max, limit: .max)
    let records = try changes.compactMap { change -> Record? in
      guard case .changed(let stored) = change else { return nil }
      return try stored.record()
    }
    let shown = records.filter { $0.type != Record.usersType }.sorted {
      ($0.shareDetails == nil ? 0 : 1, $0.type, $0.name)
        < ($1.shareDetails == nil ? 0 : 1, $1.type, $1.name)
    }
    if shown.isEmpty, zone.name == ZoneID.defaultName { return [] }
    return ["zone \(zone.name)"] + shown.map { "  " + line($0) }
  }

  private func line(_ record: Record) -> String {
    if let share = record.shareDetails { return line(share) }
    let fields = record.fields.sorted { $0.key < $1.key }.map { "\($0) \($1.snapshot)" }
    let parent = record.parent.map { ["parent \"\($0)\""] } ?? []
    return "\(record.type) \"\(record.name)\"" + (fields + parent).listed
  }

  private func line(_ share: Share) -> String {
    let people = share.participants.map { person in
      let name =
        names.first { $0.value == person.identity.user }?.key ?? person.identity.emailAddress ?? "?"
      return
        "\(name) \(person.role.rawValue) \(person.permission.rawValue) \(person.acceptance.rawValue)"
    }
    return "share of " + (share.rootRecordName.map { "\"\($0)\"" } ?? "the zone")
      + people.sorted().listed
  }

  private static func text(_ kind: Subscription.Kind) -> String {
    switch kind {
    case .query(let query, let zone, let events, let once):
      "query of \(query.recordType)" + (zone.map { " in \($0.name)" } ?? "") + ", on "
        + events.map(\.rawValue).sorted().joined(separator: ", ") + (once ? ", once" : "")
    case .zone(let zone, let type): "zone \(zone.name)" + (type.map { ", \($0)" } ?? "")
    case .database(let type): "database" + (type.map { ", \($0)" } ?? "")
    }
  }
}

extension [String] {
  fileprivate var listed: String { isEmpty ? "" : ": " + joined(separator: ", ") }
}

extension FieldValue {
  fileprivate var snapshot: String {
    switch self {
    case .string(let text): "\"\(text)\""
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .timestamp(let time, _): "\(time) ms"
    case .location(let place): "\(place.latitude) \(place.longitude)"
    case .reference(let reference): "-> \"\(reference.recordName)\""
    case .asset(let asset): "file of \(asset.size) bytes"
    case .list(let values, _): "[" + values.map(\.snapshot).joined(separator: ", ") + "]"
    }
  }
}
