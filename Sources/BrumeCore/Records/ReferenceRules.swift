// Which records must exist for others when these are saved, and which keep others from being deleted. A
// parent must exist, and so must the target of a VALIDATE reference; both keep their target from being
// deleted, so whoever saves them needs the right to write it. DELETE_SELF has at most 750 holders of one
// target (cases REF-01 to REF-05, DEL-04 to DEL-09, SAV-26, SAV-27). What a deletion takes along is
// `Removals.swift`.
//
// A failing item changes what those that refer to it see, so they are judged again.

import BrumeModel
import BrumeStorage

struct ReferenceRules {
  private let context: ModifyContext
  private let view: ZoneView
  private let stage: Stage
  private let access: BatchAccess

  init(_ context: ModifyContext, _ view: ZoneView, _ stage: Stage, _ access: BatchAccess) {
    self.context = context
    self.view = view
    self.stage = stage
    self.access = access
  }

  /// Judges items, and again those that refer to one that fails. Shares have rules of their own.
  ///
  /// - Returns: whether one fails that was to move. It stays above what is below it: what was judged of records there, which
  ///   need not be items, may not be so.
  func settle(_ positions: [Int], in verdicts: inout Verdicts) throws -> Bool {
    var links = BatchLinks(
      verdicts.items, stage, rememberedHolders: context.limits.rememberedHolders)
    var open = Array(positions.reversed())
    var ancestors = try KnownAncestors(stage, context.limits)
    var roots = SharedRoots(context, view, stage)
    var moveStays = false
    while let position = open.popLast() {
      guard verdicts.isAlive(position, to: .put), !verdicts.items[position].isShare
      else { continue }
      let name = verdicts.items[position].name
      let record = stage.puts[name]
      do {
        guard let error = try error(at: position, in: verdicts, &links, &ancestors, &roots)
        else { continue }
        verdicts.fail(position, error)
      } catch let error as BrumeError {
        // A bound of what is read, or a damaged row: it keeps nothing else from being saved.
        verdicts.fail(position, error)
      }
      if let record, try stage.moves(record) { moveStays = true }
      roots.forget()
      if ancestors.knows(name) { ancestors = try KnownAncestors(stage, context.limits) }
      open += links.referring[name] ?? []
    }
    return moveStays
  }

  private func error(
    at position: Int, in verdicts: Verdicts, _ links: inout BatchLinks,
    _ ancestors: inout KnownAncestors, _ roots: inout SharedRoots
  ) throws -> BrumeError? {
    // With what shares do to it, if it is the root of one.
    let name = verdicts.items[position].name
    guard stage.puts[name] != nil, let record = try stage.after(name) else { return nil }
    let before = try stage.before(record.name)
    if let parent = record.parent, parent != before?.parent,
      let error = try parentError(record, parent, before, verdicts, &links, &ancestors)
    {
      return error
    }
    if record.parent != before?.parent,
      let error = try secondShareError(record, before, &ancestors, &roots)
    {
      return error
    }
    if let error = try validationError(record, before) { return error }
    if let error = try holderError(record, before) { return error }
    if let error = try countError(at: position, in: verdicts, record, before, &links) {
      return error
    }
    return try view.shares == nil ? nil : permissionError(record, isNew: before == nil, &ancestors)
  }
}

// MARK: Targets

extension ReferenceRules {
  /// A record that something else may refer to, seen from the caller: what is hidden does not exist.
  private func target(_ name: String) throws -> Record? {
    guard let record = try stage.neighbourAfter(name) else { return nil }
    guard context.scope != .private, stage.puts[name] == nil else { return record }
    return try access.allows(.read, record) ? record : nil
  }

  /// The error for a reference that would keep from deletion what the caller may not delete.
  private func pinError(
    _ record: Record, _ target: Record, by what: String
  ) throws -> BrumeError? {
    guard context.scope != .private, let stored = try stage.before(target.name),
      try !access.allows(.write, stored)
    else { return nil }
    return BrumeError(
      .accessDenied,
      "record '\(record.name)' cannot refer to '\(target.name)' \(what): that keeps it from being "
        + "deleted, and you may not write it; use a reference with action NONE or DELETE_SELF")
  }

  private func parentError(
    _ record: Record, _ parent: String, _ before: Record?, _ verdicts: Verdicts,
    _ links: inout BatchLinks, _ ancestors: inout KnownAncestors
  ) throws -> BrumeError? {
    guard let target = try target(parent) else {
      return missingParentError(record, parent, verdicts)
    }
    if target.isShare { return shareError(record, target, by: "as its parent") }
    if let error = try chainError(record, parent, &ancestors) { return error }
    if let before, let error = try depthError(record, before, parent, &links, ancestors) {
      return error
    }
    // In the shared database the share that covers parent and child decides: `permissionError`.
    return context.scope == .public ? try pinError(record, target, by: "as its parent") : nil
  }

  private func missingParentError(
    _ record: Record, _ parent: String, _ verdicts: Verdicts
  ) -> BrumeError {
    // CloudKit: a child of a record that failed for its own parent (case SAV-27).
    if let code = verdicts.failure(of: parent)?.code,
      code == .validatingReferenceError || code == .internalError
    {
      return BrumeError(
        .internalError,
        "record '\(record.name)' was not saved because its parent failed; mend that one and "
          + "send both again")
    }
    return BrumeError(
      .validatingReferenceError,
      "record '\(record.name)' has the parent '\(NameRules.shown(parent))', which does not exist in zone "
        + "'\(record.zone.name)'; save the parent before or in the same request")
  }

  /// Follows the ancestors as far as the caller sees them, to one of whom it is known how many it has.
  private func chainError(
    _ record: Record, _ parent: String, _ ancestors: inout KnownAncestors
  ) throws -> BrumeError? {
    var path: [String] = []
    var next: String? = parent
    var rest = 0
    while let name = next, path.count <= context.limits.parentChain {
      if name == record.name {
        return BrumeError(
          .badRequest, "record '\(record.name)' would be its own ancestor; choose another parent")
      }
      if let count = ancestors.counts[name] {
        rest = count + 1
        break
      }
      path.append(name)
      next = try stage.neighbourAfter(name).flatMap { try visibleParent(of: $0) }
    }
    guard path.count + rest <= context.limits.parentChain else {
      return BrumeError(
        .badRequest,
        "record '\(record.name)' has more than \(context.limits.parentChain) ancestors, the "
          + "maximum; choose a parent nearer to the root")
    }
    for (count, name) in path.reversed().enumerated() { ancestors.counts[name] = rest + count }
    return nil
  }

  /// The caller sees nothing above the root of a share.
  private func visibleParent(of record: Record) throws -> String? {
    let isRoot = try record.share.map { try view.shares?.permission(of: $0) != nil } ?? false
    return isRoot ? nil : record.parent
  }

  /// What is below a stored record comes along when it moves, and has as many ancestors more as it has. Looked at only
  /// where it moves down.
  private func depthError(
    _ record: Record, _ before: Record, _ parent: String, _ links: inout BatchLinks,
    _ ancestors: KnownAncestors
  ) throws -> BrumeError? {
    let count = (ancestors.counts[parent] ?? 0) + 1
    guard try count > visibleAncestors(of: before, upTo: count) else { return nil }
    let (maximum, most) = (context.limits.parentChain, context.limits.recordsBelowMoves)
    guard let depth = try links.depth(below: record.name, stage, levels: maximum, limit: most)
    else {
      return BrumeError(
        .limitExceeded,
        "record '\(record.name)' cannot move further from the root: more than \(most) records are "
          + "below it and others that the request moves; move fewer at once, or what is below first"
      )
    }
    guard count + depth > maximum else { return nil }
    return BrumeError(
      .badRequest,
      "records below '\(record.name)' would have more than \(maximum) ancestors, the maximum; choose a parent "
        + "nearer to the root")
  }

  /// How many ancestors a stored record has that the caller sees.
  private func visibleAncestors(of record: Record, upTo maximum: Int) throws -> Int {
    var count = 0
    var next = record.parent
    while let name = next, count < maximum {
      count += 1
      next = try stage.neighbour(name).flatMap { try visibleParent(of: $0) }
    }
    return count
  }

  /// The root of a share cannot move under another share, and what is above it neither (case SHR-05).
  private func secondShareError(
    _ record: Record, _ before: Record?, _ ancestors: inout KnownAncestors,
    _ roots: inout SharedRoots
  ) throws -> BrumeError? {
    guard view.zone.hasShares, record.share != nil || before != nil else { return nil }
    let covering = try ancestors.coverage.shares(of: record) { try stage.neighbourAfter($0) }
    // A root may name a share that is not there: earlier versions left some.
    let others = try covering.filter { try $0 != record.share && stage.after($0) != nil }
    guard let other = others.first else { return nil }
    if let share = record.share, try stage.after(share) != nil {
      return BrumeError(
        .alreadyShared,
        "record '\(record.name)' has the share '\(share)' and cannot move under the share "
          + "'\(other)'; end one of the two shares first")
    }
    guard let share = try roots.share(below: record.name) else { return nil }
    return BrumeError(
      .alreadyShared,
      "record '\(record.name)' cannot move under the share '\(other)': a record below it has the share '\(share)'; "
        + "end one of the two shares first")
  }

  private func validationError(_ record: Record, _ before: Record?) throws -> BrumeError? {
    let known = before?.targets(by: .validate) ?? []
    for name in record.targets(by: .validate).subtracting(known).sorted() {
      guard let target = try target(name) else {
        return BrumeError(
          .validatingReferenceError,
          "record '\(record.name)' refers to '\(NameRules.shown(name))' with action VALIDATE, which does not exist; "
            + "save it before or in the same request")
      }
      if target.isShare { return shareError(record, target, by: "with action VALIDATE") }
      if let error = try pinError(record, target, by: "with action VALIDATE") { return error }
    }
    return nil
  }

  private func holderError(_ record: Record, _ before: Record?) throws -> BrumeError? {
    guard view.zone.hasShares else { return nil }
    let known = before?.targets(by: .deleteSelf) ?? []
    for name in record.targets(by: .deleteSelf).subtracting(known).sorted() {
      guard let target = try target(name), target.isShare else { continue }
      return shareError(record, target, by: "with action DELETE_SELF")
    }
    return nil
  }

  /// A share ends when its owner ends it: nothing keeps it from that, and nothing goes with it (case SHR-16).
  private func shareError(_ record: Record, _ share: Record, by what: String) -> BrumeError {
    BrumeError(
      .badRequest,
      "record '\(record.name)' cannot refer to the share '\(share.name)' \(what); refer to the share's "
        + "root, or use a reference with action NONE")
  }

  /// In the shared database the share that covers the record afterwards must allow the write
  /// (cases SHR-11 to SHR-13).
  private func permissionError(
    _ record: Record, isNew: Bool, _ ancestors: inout KnownAncestors
  ) throws -> BrumeError? {
    let covering = try ancestors.coverage.shares(of: record) { try stage.neighbourAfter($0) }
    return try access.refusal(of: isNew ? .create : .write, through: covering)
  }
}

// MARK: Counting

extension ReferenceRules {
  /// Counts the holders of a target: the stored ones that the caller sees, and those up to this item
  /// in the batch.
  private func countError(
    at position: Int, in verdicts: Verdicts, _ record: Record, _ before: Record?,
    _ links: inout BatchLinks
  ) throws -> BrumeError? {
    let known = before?.targets(by: .deleteSelf) ?? []
    let maximum = context.limits.deleteSelfReferences
    for target in record.targets(by: .deleteSelf).subtracting(known).sorted() {
      // As many more as the request deletes: those are none of the ones that stay.
      let stored = try links.storedHolders(
        of: target, stage, limit: maximum + 1 + stage.removals.count)
      let inBatch = links.holders[target] ?? []
      // Nearly always; then nobody looks at each of the batch for each of the batch.
      if stored.count + inBatch.count <= maximum { continue }
      let new = inBatch.lazy.filter { other in
        other <= position && verdicts.isAlive(other)
          && !stored.contains(verdicts.items[other].name)
      }
      if stored.count + new.count <= maximum { continue }
      let before = try links.visibleHolders(of: target, among: stored, visibleCount)
      let open = stored.intersection(links.names).union(new.map { verdicts.items[$0].name })
      if try before + visibleCount(of: open) > maximum {
        return BrumeError(
          .badRequest,
          "record '\(record.name)' cannot refer to '\(target)' with action DELETE_SELF: it has "
            + "\(maximum) such references already, the maximum; use action NONE")
      }
    }
    return nil
  }

  /// Of more than there may be, only whether they are more. Where all may read all, no record is looked at. Behind many bytes of
  /// hidden ones the others do not count.
  private func visibleCount(of names: Set<String>) throws -> Int {
    let hidesNone =
      context.scope == .private
      || context.scope == .public && !stage.schema.schema.hidesTypes(from: context.user)
    if hidesNone { return names.subtracting(stage.removals).count }
    var count = 0
    for name in names.sorted() where count <= context.limits.deleteSelfReferences {
      if stage.puts[name] != nil {
        count += 1
      } else if try stage.counts({ try target(name) != nil }) {
        count += 1
      }
    }
    return count
  }
}

/// What was found out about the ancestors of a batch's records, right as long as none of these fails.
private struct KnownAncestors {
  /// Which shares cover records.
  var coverage: Coverage
  /// How many ancestors a record has.
  var counts: [String: Int] = [:]

  init(_ stage: Stage, _ limits: Limits) throws {
    coverage = Coverage(
      hasZoneShare: try stage.after(Record.zoneShareName) != nil, chainLimit: limits.parentChain)
  }

  /// Whether something was found out about a record, or about others through it.
  func knows(_ name: String) -> Bool { counts[name] != nil || coverage.knows(name) }
}
