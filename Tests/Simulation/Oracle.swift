// What must be true, whatever happens. The oracle sees each request as the client wrote it, each commit as
// it happens, and each answer as the server gave it, and compares them with the model.

import BrumeKit
import BrumeModel
import BrumeStorage
import Foundation

/// What somebody knows of a zone by the answers that he got.
struct View {
  /// Which zone of this name.
  var incarnation: Int64?
  /// How often its user had joined it.
  var joinings = 0
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
  /// Who took part after the last commit.
  var knownMembers: [ZoneName: [String: Model.Right]] = [:]
  /// When somebody lost the right to read a zone.
  var lost: [String: Milliseconds] = [:]
  /// Until when pushes of before may come to somebody who got the right again.
  var late: [String: Milliseconds] = [:]
  /// How often somebody joined a zone. Who leaves a share and joins another of the same zone begins with nothing.
  var joinings: [String: Int] = [:]
  /// How long a push may be on its way.
  static let pushTime: Milliseconds = 3000
  var pushes = Pushes()
  var counts = PushCounts()
  /// Words that somebody wrote, with the notes that they belong to.
  private var written: [(word: String, note: String, user: String)] = []
  private var forgiven: Set<String> = []
  /// The tags of records that a device saved by a request which it had forgotten, by device and record. As the writer
  /// it gets no push of them.
  var forgottenSaves: [String: String?] = [:]
  private var commits = 0
  var records = ReadRecords()
  /// Every state that a record had, by zone, name and tag.
  var contents: [String: Model.Record] = [:]
  var badges = Badges()
  var watches = Watches()
  var losses = Losses()

  // MARK: Readings and commits

  /// What the zones of a request were when the store was read for it.
  func read(_ exchange: Exchange?) {
    guard let exchange, let user = exchange.user?.name else { return }
    var reading: Reading = [:]
    for zone in exchange.zones {
      let content = model.zones[zone]
      reading[zone] = Seen(
        tags: content?.tags, mayRead: model.right(of: user, in: zone) != nil,
        loss: zone.owner == user ? model.losses[zone] : nil,
        incarnation: content?.incarnation, version: content?.version ?? 0,
        joinings: joinings["\(user) \(zone)", default: 0])
    }
    exchange.seen.known.formUnion(
      model.zones.filter { $0.key.owner == user || $0.value.people[user] != nil }.keys)
    exchange.seen.readable.formUnion(
      model.zones.keys.filter { model.right(of: user, in: $0) != nil })
    exchange.seen.readings.append(reading)
    exchange.seen.losses.append(model.losses)
    if exchange.action == "changes/database" {
      exchange.seen.versions.append(
        model.zones.filter { model.right(of: user, in: $0.key) != nil }.mapValues(\.version))
    }
  }

  func commits(_ transaction: any WriteTransaction, _ scope: WriteScope, _ exchange: Exchange?)
    throws
  {
    if let exchange, exchange.loss == .encryptedDataReset, !exchange.seen.hasCommitted {
      let own = model.zones.keys.filter { $0.owner == exchange.user?.name && !$0.isDefault }
      exchange.loses(own.sorted())
    }
    try followLog(transaction, scope, exchange)
    for case .database(let key) in scope.parts {
      guard let owner = key.owner?.name else { continue }
      // Once: what was saved since then stays when it goes on with what is left of the zone.
      if let exchange, exchange.loss == .purged, !exchange.seen.hasCommitted {
        emptied(by: exchange)
      }
      if let exchange, exchange.isModify { try judge(transaction, key, owner, exchange) }
      try follow(transaction, key, owner, exchange)
      if let exchange, exchange.action == "subscriptions/modify" {
        pushes.subscribed(exchange, at: world.now)
        if let id = exchange.id { model.repeatableSubscriptions.insert(id) }
      }
      commits += 1
      if commits % 8 == 0 { try compare(transaction, key, owner) }
    }
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

  /// The same for all that was written in a zone so far.
  func forgive(in zone: ZoneName) {
    let begin = "\(zone.owner)/\(zone.name)/"
    forgiven.formUnion(written.filter { $0.note.hasPrefix(begin) }.map(\.word))
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
    var texts: [String: String] = [:]
    for (name, value) in record.fields {
      if case .string(let text) = value { texts[name] = text } else { texts[name] = "\(value)" }
    }
    var stamps: [String] = []
    for stamp in [record.created, record.modified] {
      stamps += [stamp?.user.name ?? "", stamp?.device ?? ""]
    }
    self.init(tag: record.changeTag, fields: texts, stamps: stamps)
  }
}
