// Zones and who takes part in them: they come, go and change by what somebody asks who may, and by nothing else.

import BrumeModel
import BrumeStorage

extension Oracle {
  /// What a commit did to zones and shares, beside what it should have done.
  func follow(
    _ transaction: any WriteTransaction, _ key: DatabaseKey, _ owner: String, _ exchange: Exchange?
  ) throws {
    let rows = try transaction.zones.all(in: key)
    let live = Dictionary(
      uniqueKeysWithValues: rows.map { (ZoneName(owner: owner, name: $0.key.name), $0.incarnation) }
    )
    judge(live, of: owner, exchange)
    for (zone, content) in model.zones.sorted(by: { $0.key < $1.key })
    where zone.owner == owner && !zone.isDefault && live[zone] != content.incarnation {
      if let exchange { changed(zone, by: exchange) }
      for member in content.members.keys.sorted() { leaves(member, zone) }
      model.zones[zone] = nil
      removed(zone, by: exchange)
      knownMembers[zone] = nil
    }
    for (zone, incarnation) in live.sorted(by: { $0.key < $1.key }) where model.zones[zone] == nil {
      losses.made(zone)
      model.losses[zone] = nil
      model.zones[zone] = Model.Zone(incarnation: incarnation, version: model.nextVersion())
      exchange?.seen.made[zone] = incarnation
      if let exchange { changed(zone, by: exchange) }
    }
    for row in rows {
      let zone = ZoneName(owner: owner, name: row.key.name)
      guard row.hasShares || knownMembers[zone]?.isEmpty == false else { continue }
      let share = try transaction.records.find(
        RecordKey(zone: row.key, name: Record.zoneShareName)
      ).map { try records.record($0, in: row.key) }
      judge(share, in: zone, exchange)
    }
  }

  /// Zones are those that the request leaves there; those that it did not name are the same as before.
  private func judge(_ live: [ZoneName: Int64], of owner: String, _ exchange: Exchange?) {
    var expected = Set(model.zones.keys.filter { $0.owner == owner })
    var made: Set<ZoneName> = []
    if let exchange, exchange.user?.name == owner, !exchange.seen.hasCommitted {
      (expected, made) = expectedZones(expected, after: exchange)
    }
    let who = exchange.map { "\($0.device.name)'s \($0.action)" } ?? "the server itself"
    for zone in expected.symmetricDifference(live.keys).sorted() where !zone.isDefault {
      world.fail(
        live[zone] == nil
          ? "\(zone) is gone after \(who), which should be there"
          : "\(zone) is there after \(who), which should not be")
    }
    for (zone, content) in model.zones where !zone.isDefault && !made.contains(zone) {
      if let found = live[zone], found != content.incarnation {
        world.fail("\(zone) was made again by \(who), and nobody asked for it")
      }
    }
  }

  /// - Returns: the zones that are there after a request, and which it has made.
  private func expectedZones(
    _ zones: Set<ZoneName>, after exchange: Exchange
  ) -> (all: Set<ZoneName>, made: Set<ZoneName>) {
    if exchange.zoneOperations.isEmpty { return (zones, []) }
    exchange.seen.hasCommitted = true
    if let missing = exchange.id.flatMap({ model.repeatableZones[$0] }) {
      exchange.seen.isRepeated = true
      exchange.seen.missingZones = missing
      for (index, operation) in exchange.zoneOperations.enumerated()
      where !operation.isDeletion && !zones.contains(operation.zone) {
        exchange.seen.missingZones.insert(index)
      }
      return (zones, [])
    }
    var (all, made) = (zones, Set<ZoneName>())
    for (index, operation) in exchange.zoneOperations.enumerated() {
      if !operation.isDeletion {
        if all.insert(operation.zone).inserted { made.insert(operation.zone) }
      } else if all.remove(operation.zone) == nil {
        exchange.seen.missingZones.insert(index)
      }
    }
    if let id = exchange.id { model.repeatableZones[id] = exchange.seen.missingZones }
    return (all, made)
  }

  /// The share changes with whoever accepts, and with saves that were judged before.
  private func judge(_ share: BrumeModel.Record?, in zone: ZoneName, _ exchange: Exchange?) {
    let (name, new) = (BrumeModel.Record.zoneShareName, share.map { Model.Record($0) })
    let accepts = exchange.map { accept(of: zone, by: $0) } ?? false
    let who = exchange.map { "\($0.device.name)'s \($0.action)" } ?? "the server itself"
    let isOther = model.zones[zone]?.records[name] != new
    if isOther != accepts {
      world.fail(
        "the share of \(zone) \(isOther ? "changed" : "did not change") by \(who)")
    }
    if isOther {
      model.set(name, in: zone, to: new)
      if let new { remember(new, name, in: zone) }
      if let exchange { changed(zone, by: exchange) }
    }
    let (found, people) = (Self.people(share), model.zones[zone]?.people ?? [:])
    if found != people {
      world.fail("\(zone) has the people \(found) after \(who), and should have \(people)")
      model.zones[zone]?.people = found
    }
    if let details = share?.shareDetails, details.publicPermission != .none {
      world.fail("\(zone) is open to everybody after \(who)")
    }
    noteMembers(of: zone)
  }

  /// Whether somebody who is invited takes part from now on.
  private func accept(of zone: ZoneName, by exchange: Exchange) -> Bool {
    guard exchange.isAcceptance, let user = exchange.user?.name,
      model.zones[zone]?.people[user]?.hasAccepted == false
    else { return false }
    model.zones[zone]?.people[user]?.hasAccepted = true
    return true
  }

  private static func people(_ share: BrumeModel.Record?) -> [String: Model.Person] {
    var people: [String: Model.Person] = [:]
    for person in share?.shareDetails?.participants ?? [] where person.role != .owner {
      guard person.permission != .none else { continue }
      people[person.identity.user?.name ?? person.id] = Model.Person(
        right: person.permission == .readWrite ? .write : .read,
        hasAccepted: person.acceptance == .accepted)
    }
    return people
  }

  /// Who came and who left.
  private func noteMembers(of zone: ZoneName) {
    guard let members = model.zones[zone]?.members else { return }
    let known = knownMembers.updateValue(members, forKey: zone) ?? [:]
    if known == members { return }
    for member in known.keys.sorted() where members[member] == nil { leaves(member, zone) }
    for member in members.keys {
      if known[member] == nil { joinings["\(member) \(zone)", default: 0] += 1 }
      if let time = lost.removeValue(forKey: "\(member) \(zone)") {
        late["\(member) \(zone)"] = time + Self.pushTime
      }
    }
    world.note("members of \(zone): \(members.sorted { $0.key < $1.key })")
  }

  func changed(_ zone: ZoneName, by exchange: Exchange) {
    // No subscription of an engine is of it.
    if zone.isDefault { return }
    let readers = model.zones[zone]?.members.keys.sorted() ?? []
    pushes.changed(zone, by: exchange.writer, at: world.now, readers: readers)
  }

  private func leaves(_ member: String, _ zone: ZoneName) {
    pushes.left(member, zone)
    lost["\(member) \(zone)"] = world.now
  }
}

extension ZoneName {
  /// It comes by itself.
  var isDefault: Bool { name == BrumeModel.ZoneID.defaultName }
}
