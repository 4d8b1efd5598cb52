// What records owe each other: a parent must exist, and so must the target of a VALIDATE reference;
// a record with children or validating referrers cannot go alone; DELETE_SELF takes the holders
// along, at most 750 of one target (cases REF-01 to REF-05, DEL-04 to DEL-09, SAV-26, SAV-27).
//
// A failing item changes what the others see, so the rules are asked again until nothing changes.

import BrumeModel
import BrumeStorage

extension ZoneBatch {
  mutating func settleRelations() throws {
    var isSettled = false
    while !isSettled {
      isSettled = true
      var after = Coverage(
        hasZoneShare: try stage.after(Record.zoneShareName) != nil,
        chainLimit: context.limits.parentChain)
      for position in items.indices where isAlive(position) && actions[position] == .put {
        if let error = try relationError(at: position, &after) {
          fail(position, error)
          isSettled = false
        }
      }
      if isSettled, let (position, error) = try removalError() {
        fail(position, error)
        isSettled = false
      }
    }
  }

  private mutating func relationError(
    at position: Int, _ after: inout Coverage
  ) throws -> BrumeError? {
    let item = items[position]
    guard let record = stage.puts[item.name] else { return nil }
    let before = try stage.before(item.name)
    if let parent = record.parent, parent != before?.parent,
      let error = try parentError(record, parent)
    {
      return error
    }
    if record.parent != before?.parent, let error = try secondShareError(record, &after) {
      return error
    }
    if let error = try validationError(record, before) { return error }
    if let error = try countError(at: position, record, before) { return error }
    return try view.shares == nil ? nil : permissionError(record, isNew: before == nil, &after)
  }

  private mutating func parentError(_ record: Record, _ parent: String) throws -> BrumeError? {
    if try stage.after(parent) == nil {
      // CloudKit: a child of a record that failed for its own parent (case SAV-27).
      if let culprit = items.firstIndex(where: { $0.name == parent }),
        let code = failures[culprit]?.code,
        code == .validatingReferenceError || code == .internalError
      {
        return BrumeError(
          .internalError,
          "record '\(record.name)' was not saved because its parent failed; mend that one and "
            + "send both again")
      }
      return BrumeError(
        .validatingReferenceError,
        "record '\(record.name)' has the parent '\(parent)', which does not exist in zone "
          + "'\(record.zone.name)'; save the parent before or in the same request")
    }
    var next: String? = parent
    for _ in 0..<context.limits.parentChain {
      guard let name = next else { return nil }
      if name == record.name {
        return BrumeError(
          .badRequest, "record '\(record.name)' would be its own ancestor; choose another parent")
      }
      next = try stage.after(name)?.parent
    }
    return next == nil
      ? nil
      : BrumeError(
        .badRequest,
        "record '\(record.name)' has more than \(context.limits.parentChain) ancestors, the "
          + "maximum; choose a parent nearer to the root")
  }

  /// The root of a share cannot move under another share (case SHR-05).
  private func secondShareError(_ record: Record, _ after: inout Coverage) throws -> BrumeError? {
    guard let share = record.share else { return nil }
    var reading = stage
    let covering = try after.shares(of: record) { try reading.after($0) }
    guard let other = covering.first(where: { $0 != share }) else { return nil }
    return BrumeError(
      .alreadyShared,
      "record '\(record.name)' has the share '\(share)' and cannot move under the share "
        + "'\(other)'; end one of the two shares first")
  }

  private mutating func validationError(_ record: Record, _ before: Record?) throws -> BrumeError? {
    let known = before?.targets(by: .validate) ?? []
    for target in record.targets(by: .validate).subtracting(known).sorted()
    where try stage.after(target) == nil {
      return BrumeError(
        .validatingReferenceError,
        "record '\(record.name)' refers to '\(target)' with action VALIDATE, which does not exist; "
          + "save it before or in the same request")
    }
    return nil
  }

  /// Counts the sources of a target: the stored ones and those before this item in the batch.
  private mutating func countError(
    at position: Int, _ record: Record, _ before: Record?
  ) throws -> BrumeError? {
    let known = before?.targets(by: .deleteSelf) ?? []
    let maximum = context.limits.deleteSelfReferences
    for target in record.targets(by: .deleteSelf).subtracting(known).sorted() {
      var sources = Set(
        try stage.transaction.referrers(
          to: RecordKey(zone: stage.zone, name: target), by: .deleteSelf, limit: maximum + 1))
      for other in items[...position] {
        if let put = stage.puts[other.name], put.targets(by: .deleteSelf).contains(target) {
          sources.insert(other.name)
        }
      }
      if sources.count > maximum {
        return BrumeError(
          .badRequest,
          "record '\(record.name)' cannot refer to '\(target)' with action DELETE_SELF: it has "
            + "\(maximum) such references already, the maximum; use action NONE")
      }
    }
    return nil
  }

  /// In the shared database the share that covers the record afterwards must allow the write
  /// (cases SHR-11 to SHR-13).
  private mutating func permissionError(
    _ record: Record, isNew: Bool, _ after: inout Coverage
  ) throws -> BrumeError? {
    var reading = stage
    let covering = try after.shares(of: record) { try reading.after($0) }
    let place = Permissions.Place.shared(view.shares?.permission(through: covering))
    return Permissions.decide(
      context.caller.principal, isNew ? .create : .write, in: place, creator: nil)
  }
}

// MARK: Deleting

extension ZoneBatch {
  /// Finds everything that goes, and the first item that may not.
  private mutating func removalError() throws -> (Int, BrumeError)? {
    var gone: Set<String> = []
    var dragged: [(position: Int, names: Set<String>)] = []
    for position in items.indices where isAlive(position) && actions[position] == .remove {
      let names = try dependants(of: items[position].name)
      gone.formUnion(names)
      if gone.count > context.limits.cascade {
        let reason =
          "with record '\(items[position].name)' and what goes with it, more than "
          + "\(context.limits.cascade) records would be deleted; delete them in steps"
        return (position, BrumeError(.limitExceeded, reason))
      }
      dragged.append((position, names))
    }
    for (position, names) in dragged {
      for name in names.sorted() {
        if let error = try remainderError(name, gone) { return (position, error) }
      }
    }
    cascade = gone.subtracting(stage.removals)
    return orphan()
  }

  /// An item that was to hang under a record that goes along.
  private func orphan() -> (Int, BrumeError)? {
    for position in items.indices where isAlive(position) {
      guard let put = stage.puts[items[position].name], let parent = put.parent,
        cascade.contains(parent)
      else { continue }
      let reason =
        "record '\(put.name)' has the parent '\(parent)', which the same request deletes"
      return (position, BrumeError(.validatingReferenceError, reason))
    }
    return nil
  }

  /// A record and all that goes with it: holders of DELETE_SELF references, and of a shared root its
  /// share and its descendants (case SHR-18).
  private mutating func dependants(of name: String) throws -> Set<String> {
    var found: Set<String> = [name]
    var open = [name]
    let limit = context.limits.cascade
    while let next = open.popLast(), found.count <= limit {
      let key = RecordKey(zone: stage.zone, name: next)
      var names = try stage.transaction.referrers(to: key, by: .deleteSelf, limit: limit + 1)
      if let share = try stage.before(next)?.share {
        names.append(share)
        names += try descendants(of: next, limit: limit)
      }
      for name in names where stage.puts[name] == nil && found.insert(name).inserted {
        open.append(name)
      }
    }
    return found
  }

  func descendants(of root: String, limit: Int) throws -> [String] {
    var found: [String] = []
    var open = [root]
    while let next = open.popLast(), found.count <= limit {
      let key = RecordKey(zone: stage.zone, name: next)
      let children = try stage.transaction.children(of: key, limit: limit + 1)
      found += children
      open += children
    }
    return found
  }

  /// The error for a record that goes while something still needs it.
  private mutating func remainderError(_ name: String, _ gone: Set<String>) throws -> BrumeError? {
    let key = RecordKey(zone: stage.zone, name: name)
    let limit = gone.count + stage.puts.count + 1
    for child in try stage.transaction.children(of: key, limit: limit)
    where !gone.contains(child) {
      if let put = stage.puts[child], put.parent != name { continue }
      return BrumeError(
        .validatingReferenceError,
        "record '\(name)' cannot be deleted: it is the parent of '\(child)'; delete or move that one "
          + "in the same request")
    }
    for holder in try stage.transaction.referrers(to: key, by: .validate, limit: limit)
    where !gone.contains(holder) {
      if let put = stage.puts[holder], !put.targets(by: .validate).contains(name) { continue }
      return BrumeError(
        .validatingReferenceError,
        "record '\(name)' cannot be deleted: '\(holder)' refers to it with action VALIDATE; "
          + "delete that one first")
    }
    return nil
  }
}
