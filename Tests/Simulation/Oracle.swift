// What must be true, whatever happens. The oracle sees each request as the client wrote it, each commit as
// it happens, and each answer as the server gave it, and compares them with the model.

import BrumeKit
import BrumeModel
import BrumeStorage
import Foundation

/// What somebody knows of a zone by the answers that he got.
struct View {
  /// Tags of records.
  var tags: [String: String] = [:]
  /// The zone when the first of several pages was read; empty after the last. Pages go on to where the zone was
  /// then: what changes meanwhile comes with the next fetch.
  var begin: [[String: String]?] = []
}

/// Sendable because a simulation has one thread.
final class Oracle: @unchecked Sendable {
  unowned var world: World! = nil
  var model = Model()
  /// What a device knows of a zone that was given a token.
  var views: [String: View] = [:]
  /// The versions of zones that a token of a database stands for.
  var feeds: [String: [ZoneName: Int]] = [:]
  /// When somebody lost the right to read a zone.
  var lost: [String: Milliseconds] = [:]
  /// Until when pushes of before may come to somebody who got the right again.
  private(set) var late: [String: Milliseconds] = [:]
  /// How long a push may be on its way.
  static let pushTime: Milliseconds = 3000
  var pushes = Pushes()
  /// Words that somebody wrote, with the notes that they belong to.
  private var written: [(word: String, note: String, user: String)] = []
  private var forgiven: Set<String> = []
  /// The tags of records that a device saved by a request which it had forgotten, by device and record. As the writer
  /// it gets no push of them.
  private var forgottenSaves: [String: String?] = [:]
  private var commits = 0
  var records = ReadRecords()
  var badges = Badges()

  // MARK: Readings and commits

  /// What the zones of a request were when the store was read for it.
  func read(_ exchange: Exchange?) {
    guard let exchange, let user = exchange.user?.name else { return }
    var reading: Reading = [:]
    for zone in exchange.zones {
      reading[zone] = Seen(
        tags: model.zones[zone]?.tags, mayRead: model.right(of: user, in: zone) != nil)
    }
    exchange.seen.readings.append(reading)
    if exchange.action == "changes/database" {
      exchange.seen.versions.append(model.zones.mapValues(\.version))
    }
  }

  func commits(_ transaction: any WriteTransaction, _ scope: WriteScope, _ exchange: Exchange?)
    throws
  {
    try followLog(transaction, scope)
    for case .database(let key) in scope.parts {
      guard let owner = key.owner?.name else { continue }
      if let exchange, exchange.isModify { try judge(transaction, key, owner, exchange) }
      try follow(transaction, key, owner, exchange)
      if let exchange, exchange.action == "subscriptions/modify" {
        pushes.subscribed(exchange, at: world.now)
      }
      commits += 1
      if commits % 8 == 0 { try compare(transaction, key, owner) }
    }
  }

  /// What a save changed, beside what it should have changed.
  private func judge(
    _ transaction: any WriteTransaction, _ key: DatabaseKey, _ owner: String, _ exchange: Exchange
  ) throws {
    let request = exchange.modification
    guard let user = exchange.user?.name, !exchange.seen.hasCommitted,
      request.operations.contains(where: { $0.zone.owner == owner })
    else { return }
    exchange.seen.hasCommitted = true
    if let id = request.id, let done = model.repeatable[id] {
      exchange.seen.done = done
      exchange.seen.isRepeated = true
      return
    }
    let expected = model.done(request.operations, by: user, isAtomic: request.isAtomic)
    for (index, operation) in request.operations.enumerated() {
      let zone = operation.zone
      let before = model.zones[zone]?.records[operation.name]
      let after = try stored(transaction, key, zone, operation.name)
      let what = "\(exchange.device.name)'s \(operation.kind) of \(operation.name) in \(zone)"
      let isDone = after?.tag != before?.tag
      switch (expected[index], isDone) {
      case (false, true): world.fail("\(what) should have been refused, and was carried out")
      case (true, false): world.fail("\(what) should have been carried out, and was refused")
      case (true, true):
        if let text = operation.text, after?.text != text {
          world.fail("\(what) stored '\(after?.text ?? "-")' instead of '\(text)'")
        }
      default: break
      }
      guard isDone else { continue }
      exchange.seen.done[index] = .some(after?.tag)
      model.zones[zone]?.records[operation.name] = after
      model.zones[zone]?.version += 1
      changed(zone, by: exchange)
      if exchange.isForgotten {
        let note = "\(zone.owner)/\(zone.name)/\(operation.name)"
        forgottenSaves["\(exchange.device.name) \(note)"] = .some(after?.tag)
      }
    }
    if let id = request.id { model.repeatable[id] = exchange.seen.done }
  }

  private func stored(
    _ transaction: any WriteTransaction, _ key: DatabaseKey, _ zone: ZoneName, _ name: String
  ) throws -> Model.Record? {
    let key = RecordKey(zone: ZoneKey(database: key, name: zone.name), name: name)
    return try transaction.records.find(key).map {
      Model.Record(try records.record($0, in: key.zone))
    }
  }

  /// Zones that came and went, and who takes part in them.
  private func follow(
    _ transaction: any WriteTransaction, _ key: DatabaseKey, _ owner: String, _ exchange: Exchange?
  ) throws {
    let rows = try transaction.zones.all(in: key)
    let live = Set(rows.map { ZoneName(owner: owner, name: $0.key.name) })
    for zone in live where model.zones[zone] == nil {
      model.zones[zone] = Model.Zone(version: 1)
      if let exchange { changed(zone, by: exchange) }
    }
    for zone in model.zones.keys where zone.owner == owner && !live.contains(zone) {
      if let exchange { changed(zone, by: exchange) }
      for member in model.zones[zone]?.members.keys.sorted() ?? [] { leaves(member, zone) }
      model.zones[zone] = nil
    }
    for row in rows where row.hasShares {
      let zone = ZoneName(owner: owner, name: row.key.name)
      let share = try transaction.records.find(
        RecordKey(zone: row.key, name: Record.zoneShareName)
      ).map { try records.record($0, in: row.key) }
      try follow(share, in: zone, exchange)
      try setMembers(of: zone, share)
    }
  }

  /// The share record changes with whoever accepts or leaves.
  private func follow(
    _ share: BrumeModel.Record?, in zone: ZoneName, _ exchange: Exchange?
  ) throws {
    let (name, new) = (BrumeModel.Record.zoneShareName, share.map { Model.Record($0) })
    guard model.zones[zone]?.records[name] != new else { return }
    model.zones[zone]?.records[name] = new
    model.zones[zone]?.version += 1
    if let exchange { changed(zone, by: exchange) }
  }

  private func setMembers(of zone: ZoneName, _ share: BrumeModel.Record?) throws {
    var members: [String: Model.Right] = [:]
    for person in share?.shareDetails?.participants ?? []
    where person.role != .owner && person.acceptance == .accepted && person.permission != .none {
      guard let user = person.identity.user?.name else { continue }
      members[user] = person.permission == .readWrite ? .write : .read
    }
    guard let old = model.zones[zone]?.members, old != members else { return }
    for member in old.keys.sorted() where members[member] == nil { leaves(member, zone) }
    for member in members.keys {
      if let time = lost.removeValue(forKey: "\(member) \(zone)") {
        late["\(member) \(zone)"] = time + Self.pushTime
      }
    }
    model.zones[zone]?.members = members
    world.note("members of \(zone): \(members.sorted { $0.key < $1.key })")
  }

  private func changed(_ zone: ZoneName, by exchange: Exchange) {
    let readers = model.zones[zone]?.members.keys.sorted() ?? []
    pushes.changed(zone, by: exchange.device, at: world.now, readers: readers)
  }

  private func leaves(_ member: String, _ zone: ZoneName) {
    pushes.left(member, zone)
    lost["\(member) \(zone)"] = world.now
  }

  /// A whole database: nothing has changed that nobody asked for.
  func compare(_ transaction: any ReadTransaction, _ key: DatabaseKey, _ owner: String) throws {
    for row in try transaction.zones.all(in: key) {
      let zone = ZoneName(owner: owner, name: row.key.name)
      let lines = try transaction.changes.page(in: row.key, after: 0, through: .max, limit: .max)
      var found: [String: Model.Record] = [:]
      for case .changed(let line) in lines {
        let record = try records.record(line, in: row.key)
        if record.shareDetails == nil, record.type != BrumeModel.Record.usersType {
          found[record.name] = Model.Record(record)
        }
      }
      let known = (model.zones[zone]?.records ?? [:]).filter {
        $0.key != BrumeModel.Record.zoneShareName
      }
      for name in Set(found.keys).union(known.keys).sorted() where found[name] != known[name] {
        world.fail(
          "\(name) in \(zone) is \(found[name].map { "\($0)" } ?? "gone"), and should be "
            + (known[name].map { "\($0)" } ?? "gone"))
      }
    }
  }

  // MARK: Words

  func wrote(_ word: String, in note: CKRecord.ID, by user: UserID) {
    let owner =
      note.zoneID.ownerName == CKCurrentUserDefaultName ? user.name : note.zoneID.ownerName
    written.append((word, "\(owner)/\(note.zoneID.zoneName)/\(note.recordName)", user.name))
  }

  /// Words that need not be there in the end: who wrote them lost his account, the zone or the right.
  func forgive(_ disk: AppDisk, where isMeant: (CKRecord.ID) -> Bool = { _ in true }) {
    for id in disk.changed where isMeant(id) {
      let words = disk.notes[id]?.text.split(separator: " ").map(String.init) ?? []
      forgiven.formUnion(words)
    }
  }

  /// Whether a note is as the device itself has saved it, and nobody has to say so to the device.
  func isForgotten(_ note: String, by device: Device) -> Bool {
    let parts = note.split(separator: "/", maxSplits: 2).map(String.init)
    guard parts.count == 3, let tag = forgottenSaves["\(device.name) \(note)"] else { return false }
    return tag == model.zones[ZoneName(owner: parts[0], name: parts[1])]?.records[parts[2]]?.tag
  }

  /// Words of notes that are never deleted, and are not there.
  func missingWords(in notes: [String: String]) -> [String] {
    written.filter { entry in
      !forgiven.contains(entry.word)
        && entry.note.split(separator: "/").last?.hasPrefix("k") == true
        && !(notes[entry.note] ?? "").split(separator: " ").contains { $0 == entry.word }
    }.map { "the word \($0.word) in \($0.note) is lost" }
  }
}

extension Model.Record {
  init(_ record: BrumeModel.Record) {
    var text = ""
    if case .string(let value)? = record.fields["text"] { text = value }
    self.init(tag: record.changeTag, text: text)
  }
}
