// Writing what the batch decided: records with their sequences, the log entries of the same
// transaction, shares' names and members, the zone's row.

import BrumeModel
import BrumeStorage

/// Writes one batch and keeps count.
struct BatchWriter {
  private let context: ModifyContext
  private let transaction: any WriteTransaction
  private let stage: Stage
  private var zone: Zone
  private var written: Set<String> = []
  private var wantsImage: [String: Bool] = [:]
  private var endedMemberships: [Membership] = []
  /// Who takes part in a share of the zone and sees nothing of it any more.
  private var lowered: [UserID] = []
  /// Who takes part in which share of the zone, as soon as somebody had to know.
  private var members: [RecordKey: [Membership]]?
  private var movesBetweenShares = false
  private var before: Coverage
  private var after: Coverage
  private let hasShares: Bool
  private var storedBytes: StoredBytes?
  private let judged: [Verdicts.Judged]

  /// - Parameter storedBytes: what records took before the batch, where there is a quota.
  init(
    _ verdicts: Verdicts, _ context: ModifyContext, _ zone: Zone, _ stage: Stage,
    _ access: BatchAccess, _ storedBytes: StoredBytes?, in transaction: any WriteTransaction
  ) throws {
    judged = verdicts.alive
    self.context = context
    self.stage = stage
    self.zone = zone
    self.storedBytes = storedBytes
    self.transaction = transaction
    hasShares = zone.hasShares || judged.contains { $0.judgement.shortGUID != nil }
    before = access.coverage
    after = Coverage(
      hasZoneShare: hasShares ? try stage.after(Record.zoneShareName) != nil : false,
      chainLimit: context.limits.parentChain)
  }

  /// What became of the living items, by position; an item that is not there was deleted.
  ///
  /// - Parameter cascade: what goes beside the items.
  mutating func write(beside cascade: Set<String>) throws -> [Int: RecordOutcome] {
    var outcomes: [Int: RecordOutcome] = [:]
    for (position, key, judgement) in judged {
      switch judgement.action {
      case .put:
        outcomes[position] = try write(key.name).map { .saved($0) }
        try use(judgement.receipts)
      case .leaveShare: _ = try write(key.name)
      case .remove: try erase(key.name)
      case .nothing: break
      }
    }
    for name in cascade.subtracting(stage.removals).sorted() { try erase(name) }
    for name in stage.puts.keys.sorted() { _ = try write(name) }
    try finish()
    return outcomes
  }

  /// Writes the batch's state of a record, once.
  private mutating func write(_ name: String) throws -> StoredRecord? {
    guard written.insert(name).inserted, var record = stage.puts[name] else { return nil }
    let sequence = try nextSequence()
    record.changeTag = ChangeTag.text(sequence)
    let old = try stage.before(name)
    let shares = try covering(old: old, new: record)
    if old == nil { try noteReturn(of: record, coveredBy: shares) }
    if let before = old?.shareDetails, let share = record.shareDetails,
      share.showsOthers(than: before)
    {
      movesBetweenShares = true
      lowered += share.usersWhoSeeNoMore(since: before)
    }
    let stored = try transaction.records.put(record, in: stage.zone, sequence: sequence)
    storedBytes?.grow(by: record.quotaBytes - (old?.quotaBytes ?? 0))
    try append(name, record.type, old == nil ? .created : .updated, image: stored, shares)
    return stored
  }

  private mutating func erase(_ name: String) throws {
    guard written.insert(name).inserted, let old = try stage.before(name) else { return }
    let key = RecordKey(zone: stage.zone, name: name)
    storedBytes?.grow(by: -old.quotaBytes)
    let shares = try covering(old: old, new: nil)
    let image = try transaction.records.find(key)
    try transaction.records.remove(
      key, type: old.type, coveringShares: shares, sequence: try nextSequence())
    try append(name, old.type, .deleted, image: image, shares)
    if old.isShare { endedMemberships += try membersByShare()[key] ?? [] }
  }

  private mutating func membersByShare() throws -> [RecordKey: [Membership]] {
    let known =
      try members
      ?? Dictionary(grouping: transaction.shares.memberships(in: stage.zone), by: \.share)
    members = known
    return known
  }

  /// The shares that cover the record before or after, so that those who lose it are notified too.
  private mutating func covering(old: Record?, new: Record?) throws -> [String] {
    guard hasShares else { return [] }
    let then = try old.map { try before.shares(of: $0) { try stage.before($0) } } ?? []
    let now = try new.map { try after.shares(of: $0) { try stage.after($0) } } ?? []
    if old != nil, new != nil, then != now { movesBetweenShares = true }
    return Set(then).union(now).sorted()
  }

  /// A record that is made takes away the line of its deletion. Whoever saw it through a share that does not cover it
  /// now would never hear of the deletion; and a share of the whole zone, made again, would not say what was deleted
  /// while there was none. In both cases participants start over.
  private mutating func noteReturn(of record: Record, coveredBy shares: [String]) throws {
    guard hasShares, !movesBetweenShares else { return }
    let key = RecordKey(zone: stage.zone, name: record.name)
    let before = try transaction.records.deleted(key)?.coveringShares ?? []
    movesBetweenShares = record.isZoneShare || !Set(before).isSubset(of: shares)
  }

  private mutating func nextSequence() throws -> Int64 {
    let sequence = try transaction.sequences.next(in: stage.zone.database)
    if zone.incarnation == 0 { zone.incarnation = sequence }
    zone.lastSequence = sequence
    return sequence
  }

  private mutating func append(
    _ name: String, _ type: String, _ kind: RecordChange.Kind, image: StoredRecord?,
    _ shares: [String]
  ) throws {
    let database = stage.zone.database
    let isWanted =
      try context.limits.logsEveryImage
      || (wantsImage[type] ?? transaction.subscriptions.hasQueries(on: type, in: database))
    wantsImage[type] = isWanted
    let change = RecordChange(
      record: RecordKey(zone: stage.zone, name: name), recordType: type, kind: kind,
      image: isWanted ? image : nil, coveringShares: shares)
    try transaction.log.append(
      .record(change), in: database, origin: context.caller.origin(at: context.now))
  }

  /// The receipts of a record that was written are used up.
  private func use(_ receipts: [String]) throws {
    if receipts.isEmpty { return }
    for id in receipts { try transaction.assets.removeUpload(id) }
    try PendingUploads.change(
      of: context.user, now: context.now, context.limits, in: transaction.settings
    ) { pending in
      for id in receipts { pending.remove(id) }
    }
  }

  /// Members, short names, and the zone's own row.
  private mutating func finish() throws {
    for (_, key, judgement) in judged {
      guard let shortGUID = judgement.shortGUID else { continue }
      try transaction.shares.setShortGUID(shortGUID, record: key)
    }
    try end(endedMemberships + judged.flatMap(\.judgement.endedMemberships))
    // For their devices the zone is gone, as for those of who is removed.
    for user in lowered { try appendMembership(of: user) }
    guard !written.isEmpty else { return }
    if movesBetweenShares { try transaction.settings.raiseSharingEpoch(of: stage.zone) }
    var zone = zone
    zone.hasShares = hasShares
    try transaction.zones.put(zone)
    try storedBytes?.keep(asOf: zone, in: transaction.settings)
  }

  private mutating func end(_ memberships: [Membership]) throws {
    if memberships.isEmpty { return }
    let ended = Set(memberships)
    let staying = try membershipsLeft(beside: ended).map(\.user)
    for membership in memberships {
      try transaction.shares.remove(membership)
      try appendMembership(of: membership.user)
    }
    try ClientData.forget(
      Set(ended.map(\.user)).subtracting(staying), in: stage.zone, transaction)
  }

  private func appendMembership(of user: UserID) throws {
    try transaction.log.append(
      .membership(user, stage.zone), in: stage.zone.database,
      origin: context.caller.origin(at: context.now))
  }

  /// The memberships of the zone that stay, at least those of users of whom others end. Whoever leaves has few beside all
  /// of the zone.
  private mutating func membershipsLeft(beside ended: Set<Membership>) throws -> [Membership] {
    let isLeaving = ended.allSatisfy { $0.user == context.user }
    let known =
      try isLeaving
      ? transaction.shares.memberships(
        of: context.user, in: stage.zone.database.containerEnvironment)
      : Array(membersByShare().values.joined())
    return known.filter { $0.share.zone == stage.zone && !ended.contains($0) }
  }
}
