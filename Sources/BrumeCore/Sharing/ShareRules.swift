// Shares among the records of a batch: making, changing, ending and leaving one (cases SHR-01 to
// SHR-05, SHR-16, SHR-17, SHR-22 to SHR-24, SHR-33). They are judged after the other items, because
// a share needs its root as the batch leaves it.

import BrumeModel
import BrumeStorage

struct ShareRules {
  private let context: ModifyContext
  private let stage: Stage
  private let access: BatchAccess
  private let namesInBatch: Set<String>
  private let builder: RecordBuilder

  init(
    _ context: ModifyContext, _ stage: Stage, _ access: BatchAccess, namesInBatch: Set<String>
  ) {
    self.context = context
    self.stage = stage
    self.access = access
    self.namesInBatch = namesInBatch
    builder = RecordBuilder(context, stage)
  }

  /// Judges an item that is about a share, and puts on the stage what it does.
  func judgement(of item: RecordItem) throws -> Judgement {
    if context.scope == .public {
      throw BrumeError(
        .badDatabase,
        "share '\(item.name)' cannot be in the public database; share records of a custom zone of "
          + "the private database")
    }
    var stored = try stage.before(item.name)
    if let there = stored, try !access.allows(.read, there), !access.mayLeave(there, by: item) {
      stored = nil
    }
    if let stored, !stored.isShare {
      throw BrumeError(
        .badRequest,
        "record '\(item.name)' is of type '\(stored.type)' and is no share; give the share "
          + "another name")
    }
    guard item.draft.type ?? Record.shareType == Record.shareType else {
      throw BrumeError(
        .badRequest,
        item.draft.shareRoot == nil
          ? "record name '\(item.name)' is kept for the share of a zone; choose another, or save it "
            + "with recordType cloudkit.share"
          : "record '\(item.name)': forRecord belongs to records of type cloudkit.share; leave it "
            + "out")
    }
    if let stored, context.scope == .shared { return try ofParticipant(item, stored) }
    if context.scope == .shared {
      if item.kind.isDelete { return Judgement(action: .nothing) }
      throw BrumeError(
        .accessDenied, "only the owner of zone '\(stage.zone.name)' can share it or its records")
    }
    return try ofOwner(item, stored)
  }

  private func ofOwner(_ item: RecordItem, _ stored: Record?) throws -> Judgement {
    let decision = try SavePolicy.decide(
      effectiveKind(of: item, stored), tag: item.draft.changeTag, stored: stored)
    switch decision {
    case .nothing:
      return Judgement(action: .nothing)
    case .insert:
      return try insertion(of: item)
    case .change(let stored):
      return try change(of: stored, by: item)
    case .remove(let stored):
      end(stored)
      return Judgement(action: .remove)
    }
  }

  /// Who takes part is always compared by tag, whatever the save policy (case SAV-40).
  private func effectiveKind(
    of item: RecordItem, _ stored: Record?
  ) -> RecordOperation.Kind {
    guard stored != nil,
      item.draft.participants != nil || item.draft.publicPermission != nil
        || item.draft.access != nil
    else {
      return item.kind
    }
    switch item.kind {
    case .forceUpdate: return .update
    case .forceReplace: return .replace
    case .create, .update, .replace, .delete, .forceDelete: return item.kind
    }
  }

  /// A participant leaves by deleting the share; an administrator may also change it.
  private func ofParticipant(_ item: RecordItem, _ stored: Record) throws -> Judgement {
    if item.kind.isDelete { return try leaving(stored, by: item) }
    guard stored.shareDetails?.participant(context.user)?.role == .administrator else {
      throw BrumeError(
        .accessDenied,
        "share '\(item.name)' is its owner's: participants may leave it, not change it")
    }
    return try ofOwner(item, stored)
  }

  private func leaving(_ stored: Record, by item: RecordItem) throws -> Judgement {
    // Who may see nothing of the share cannot know its tag.
    if try access.allows(.read, stored) {
      _ = try SavePolicy.decide(item.kind, tag: item.draft.changeTag, stored: stored)
    }
    var left = stored
    left.shareDetails?.participants.removeAll { $0.identity.user == context.user }
    left.modified = context.stamp
    stage.put(left)
    let share = RecordKey(zone: stage.zone, name: item.name)
    return Judgement(
      action: .leaveShare, endedMemberships: [Membership(user: context.user, share: share)])
  }

  /// The share goes and the records stay; the root forgets it (case SHR-16).
  private func end(_ share: Record) {
    if let root = share.shareDetails?.rootRecordName {
      stage.remove(share.name, of: root)
    } else {
      stage.remove(share.name)
    }
  }
}

// MARK: Making and changing

extension ShareRules {
  private func insertion(of item: RecordItem) throws -> Judgement {
    if stage.zone.isDefault {
      throw BrumeError(
        .badRequest,
        "share '\(item.name)' is in the default zone, which cannot be shared; move the records to a "
          + "custom zone")
    }
    let root = item.name == Record.zoneShareName ? nil : try shareRoot(of: item)
    if root == nil { try refuseZoneShareOverShares() }
    var (share, receipts) = try builder.next(item, after: nil)
    let shortGUID = root?.shortGUID ?? item.shortGUID
    share.shortGUID = shortGUID
    let empty = Share(rootRecordName: root?.name)
    share.shareDetails = try ParticipantRules.applied(
      item.draft, to: empty, owner: try identity(of: context.user), ids: item.participantIDs,
      now: context.stamp.time, limits: context.limits, find: identity(matching:))
    if let root {
      stage.put(share, of: root.name, shortGUID: shortGUID)
    } else {
      stage.put(share)
    }
    return Judgement(action: .put, receipts: receipts, shortGUID: shortGUID)
  }

  /// The root that a new share names, if it can be shared.
  private func shareRoot(of item: RecordItem) throws -> Record {
    guard let (name, tag) = item.draft.shareRoot else {
      throw BrumeError(
        .badRequest,
        "share '\(item.name)' is new and must be saved together with its root record: give it 'forRecord' with the "
          + "root's recordName and recordChangeTag, or the recordName \(Record.zoneShareName) for the whole zone"
      )
    }
    if try stage.after(Record.zoneShareName) != nil {
      throw BrumeError(
        .rejected,
        "zone '\(stage.zone.name)' is shared as a whole; its records cannot have shares of their "
          + "own; end the zone's share first"
      )
    }
    guard let root = try stage.neighbourAfter(name), !root.isShare else {
      throw BrumeError(
        .notFound,
        "Cannot share - no such record exists to share: '\(name)'; save it before or in the "
          + "same request")
    }
    if !namesInBatch.contains(name), let tag, tag != root.changeTag {
      var error = BrumeError(
        .conflict,
        "client oplock error updating record: root '\(name)' of share '\(item.name)' has "
          + "changed; fetch it and share it again")
      error.serverRecord = root
      throw error
    }
    try refuseSecondShare(of: root)
    return root
  }

  /// A record takes part in one share only (case SHR-05). What is below it is looked at when the rest of the batch is
  /// certain.
  private func refuseSecondShare(of root: Record) throws {
    var above = Coverage(hasZoneShare: false, chainLimit: context.limits.parentChain)
    let shared = try above.shares(of: root) { try stage.neighbourAfter($0) }
    // A root may name a share that is not there: earlier versions left some.
    if let share = try shared.first(where: { try stage.after($0) != nil }) {
      throw SharedRoots.secondShare(of: root.name, beside: share)
    }
  }

  private func refuseZoneShareOverShares() throws {
    let new = stage.puts.values.first { $0.isShare && !stage.removals.contains($0.name) }
    if let share = try remainingShare() ?? new?.name {
      throw BrumeError(
        .badRequest,
        "zone '\(stage.zone.name)' cannot be shared as a whole: it holds the share '\(share)'; "
          + "end that one first")
    }
  }

  /// A stored share that does not end here. One of as many as end, and one more, is such a share.
  private func remainingShare() throws -> String? {
    var next: QueryPosition?
    repeat {
      let page = try stage.sharesBefore(
        after: next, limit: stage.removals.count + 1, context.limits)
      let share = page.records.first { !stage.removals.contains($0.name) }
      if let share { return share.name }
      next = page.next
    } while next != nil
    return nil
  }

  private func change(of stored: Record, by item: RecordItem) throws -> Judgement {
    var (share, receipts) = try builder.next(item, after: stored)
    let old = stored.shareDetails ?? Share()
    let owner = try identity(of: stage.zone.database.owner ?? context.user)
    let new = try ParticipantRules.applied(
      item.draft, to: old, owner: owner, ids: item.participantIDs,
      now: context.stamp.time, limits: context.limits, find: identity(matching:))
    share.shareDetails = new
    stage.put(share)
    var endedMemberships: [Membership] = []
    for participant in old.participants where participant.acceptance == .accepted {
      guard let user = participant.identity.user, participant.role != .owner,
        new.participant(user)?.acceptance != .accepted
      else { continue }
      endedMemberships.append(Membership(user: user, share: item.key))
    }
    return Judgement(action: .put, receipts: receipts, endedMemberships: endedMemberships)
  }

  private func identity(of user: UserID) throws -> UserIdentity {
    try stage.transaction.users.find(user)?.identity ?? UserIdentity(user: user)
  }

  private func identity(matching wanted: UserIdentity) throws -> UserIdentity {
    try stage.transaction.users.completed(wanted)
  }
}
