// Saves, judged in the transaction that commits them, so that there is one order for model and store.

import BrumeModel
import BrumeStorage

extension Oracle {
  /// What a save changed, beside what it should have changed.
  func judge(
    _ transaction: any WriteTransaction, _ key: DatabaseKey, _ owner: String, _ exchange: Exchange
  ) throws {
    let request = exchange.modification
    guard let user = exchange.user?.name,
      request.operations.contains(where: { $0.zone.owner == owner })
    else { return }
    if exchange.seen.hasCommitted {
      return try judgeRepeated(transaction, key, exchange, "was carried out twice")
    }
    exchange.seen.hasCommitted = true
    if let id = exchange.id, let first = model.repeatable[id] {
      exchange.seen.isRepeated = true
      exchange.seen.done = first.tags
      exchange.seen.verdicts = zip(request.operations, first.verdicts).map {
        verdict(onRepeated: $0, $1, by: user)
      }
      return try judgeRepeated(transaction, key, exchange, "changed something when it was repeated")
    }
    exchange.seen.losses = [model.losses]
    exchange.seen.verdicts = model.verdicts(
      on: request.operations, by: user, isAtomic: request.isAtomic)
    for index in request.operations.indices {
      try judge(transaction, key, index, of: exchange)
    }
    if let id = exchange.id {
      model.repeatable[id] = .init(tags: exchange.seen.done, verdicts: exchange.seen.verdicts)
    }
  }

  /// What it did is answered again, as long as it is there and he may do it. What failed may have become possible.
  private func verdict(
    onRepeated operation: Model.Operation, _ first: Model.Verdict, by user: String
  ) -> Model.Verdict {
    if first == .done, !operation.isDeletion, model.right(of: user, in: operation.zone) == .write,
      model.zones[operation.zone]?.records[operation.name] != nil
    {
      return .done
    }
    return .either
  }

  private func judgeRepeated(
    _ transaction: any WriteTransaction, _ key: DatabaseKey, _ exchange: Exchange, _ wrong: String
  ) throws {
    for operation in exchange.modification.operations {
      let before = model.zones[operation.zone]?.records[operation.name]
      let after = try stored(transaction, key, operation.zone, operation.name)
      if after != before { world.fail("\(exchange.shown(operation)) \(wrong)") }
    }
  }

  private func judge(
    _ transaction: any WriteTransaction, _ key: DatabaseKey, _ index: Int, of exchange: Exchange
  ) throws {
    let operation = exchange.modification.operations[index]
    let zone = operation.zone
    let before = model.zones[zone]?.records[operation.name]
    let after = try stored(transaction, key, zone, operation.name)
    let (what, isDone) = (exchange.shown(operation), after?.tag != before?.tag)
    let verdict = exchange.seen.verdicts[index]
    if isDone, verdict != .done {
      world.fail("\(what) should have been refused, and was carried out")
    }
    if !isDone, verdict == .done {
      world.fail("\(what) should have been carried out, and was refused")
    }
    guard isDone else { return }
    if let after {
      judge(after, of: operation, before, exchange)
      remember(after, operation.name, in: zone)
    }
    exchange.seen.done[index] = .some(after?.tag)
    model.set(operation.name, in: zone, to: after)
    if operation.isShare { changePeople(by: operation, exchange) }
    changed(zone, by: exchange)
    if exchange.isForgotten {
      let note = "\(zone.owner)/\(zone.name)/\(operation.name)"
      forgottenSaves["\(exchange.device.name) \(note)"] = .some(after?.tag)
    }
  }

  /// What a save stored, beside what it and the record before it say.
  private func judge(
    _ after: Model.Record, of operation: Model.Operation, _ before: Model.Record?,
    _ exchange: Exchange
  ) {
    let expected = operation.applied(to: before)
    if !operation.isShare, after.fields != expected {
      world.fail("\(exchange.shown(operation)) stored \(after.fields) instead of \(expected)")
    }
    let stamp = [exchange.user?.name ?? "", exchange.device.name]
    let stamps = (before.map { Array($0.stamps.prefix(2)) } ?? stamp) + stamp
    if after.stamps != stamps {
      world.fail("\(exchange.shown(operation)) is of \(after.stamps) instead of \(stamps)")
    }
  }

  /// The tags that a record had, in the order of their texts.
  func tags(of name: String, in zone: ZoneName) -> [String] {
    let begin = "\(zone) \(name) "
    return contents.keys.filter { $0.hasPrefix(begin) }.map { String($0.dropFirst(begin.count)) }
      .sorted()
  }

  /// A tag stands for one state of a record, whenever it is seen.
  func remember(_ record: Model.Record, _ name: String, in zone: ZoneName) {
    if contents.updateValue(record, forKey: "\(zone) \(name) \(record.tag)") != nil {
      world.fail("\(name) in \(zone) has the tag \(record.tag) a second time")
    }
  }

  /// Who takes part after a save of the share: whom its owner wants; who was in it already stays what he was.
  private func changePeople(by operation: Model.Operation, _ exchange: Exchange) {
    guard let user = exchange.user?.name else { return }
    if user != operation.zone.owner {
      model.zones[operation.zone]?.people[user] = nil
    } else if operation.isDeletion {
      model.zones[operation.zone]?.people = [:]
    } else if let people = operation.people {
      let known = model.zones[operation.zone]?.people ?? [:]
      model.zones[operation.zone]?.people = Dictionary(
        uniqueKeysWithValues: people.map { name, right in
          (name, .init(right: right, hasAccepted: known[name]?.hasAccepted ?? false))
        })
    }
  }

  private func stored(
    _ transaction: any WriteTransaction, _ key: DatabaseKey, _ zone: ZoneName, _ name: String
  ) throws -> Model.Record? {
    let key = RecordKey(zone: ZoneKey(database: key, name: zone.name), name: name)
    return try transaction.records.find(key).map {
      Model.Record(try records.record($0, in: key.zone))
    }
  }
}

extension Exchange {
  func shown(_ operation: Model.Operation) -> String {
    "\(device.name)'s \(operation.kind) of \(operation.name) in \(operation.zone)"
  }
}
