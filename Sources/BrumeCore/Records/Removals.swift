// What deletions take along, and which may not happen. DELETE_SELF takes the holders, a shared root
// its share and its descendants; a record with children, or to which others refer by VALIDATE, cannot
// go without them (cases DEL-04 to DEL-09, SHR-18).
//
// What goes with a record is read once, however many deletions of a request meet it. If it is much, it is read before the
// write (`FoundCascade.swift`). What stays because something cannot go is `Cascade.swift`.

import BrumeModel
import BrumeStorage

struct Removals {
  private let stage: Stage
  private let context: ModifyContext
  /// What was read of the zone as it is before the request.
  private(set) var links: Links
  /// Whether a read should look first if much goes along.
  private let givesUp: Bool
  /// What the request deletes itself, and so has the names of.
  private var asked: Set<String> = []
  /// What a read knows that the request saves; a write has it in `stage`.
  private let saved: Set<String>
  /// What goes in other zones of the request.
  private let before: CascadeSize
  /// What was read to find out what goes along: each record once, whether it goes in the end or not.
  private var counted: Set<String> = []
  private var bytesRead = 0
  private var bytesAlong = 0

  /// How records hang together, by their names: what each takes along directly, what has to go before it, its bytes.
  struct Links: Sendable {
    var companions: [String: [String]] = [:]
    var needs: [String: Needs] = [:]
    var bytes: [String: Int] = [:]
    /// What the request moves to another parent, as far as `stage` does not know: what a read finds is found with it.
    var moved: Set<String> = []
    /// Those with which more would go than may.
    var tooLarge: Set<String> = []
  }

  /// Records that have to go before another can: its children and its VALIDATE holders.
  struct Needs: Sendable {
    var children: [String]
    var holders: [String]
    let isWhole: Bool
    /// Ours: read at first; nearly always there are fewer, or one of them stays.
    fileprivate static let few = 64
  }

  /// - Parameters:
  ///   - links: what is known of them; nil: nobody has looked, and `settle` may throw `LargeCascade`.
  ///   - saved: what the request saves in the zone beside what `stage` has.
  ///   - before: what goes in other zones of the request.
  init(
    _ context: ModifyContext, _ stage: Stage, _ links: Links?, saved: Set<String> = [],
    behind before: CascadeSize
  ) {
    self.context = context
    self.stage = stage
    self.saved = saved
    self.before = before
    self.links = links ?? Links()
    givesUp = links == nil
  }

  /// Everything that goes with the deletions of `wanted` that may happen, and the errors of the others.
  ///
  /// - Throws: `LargeCascade` if that is much and nobody has looked.
  mutating func settle(
    _ wanted: [(position: Int, name: String)]
  ) throws -> (gone: Set<String>, failures: [Int: BrumeError]) {
    asked = Set(wanted.map(\.name))
    var gone: Set<String> = []
    var (order, size) = ([String](), before.bytes)
    var failures: [Int: BrumeError] = [:]
    for (position, name) in wanted where !gone.contains(name) {
      if let names = try dependants(of: name, beside: gone, size) {
        gone.formUnion(names)
        order += names
        size += names.reduce(0) { $0 + (links.bytes[$1] ?? 0) }
      } else {
        failures[position] = tooMany(name)
      }
    }
    let kept = try order.compactMap { name in
      try error(for: name, gone).map { (name: name, error: $0) }
    }
    if kept.isEmpty { return (gone, failures) }
    let roots = wanted.filter { failures[$0.position] == nil }
    let cascade = cascade(of: gone, roots.map(\.name), without: kept)
    for (position, name) in roots {
      failures[position] = cascade.map { $0.errors[name] } ?? Relations.tangled
    }
    return (cascade?.gone ?? [], failures)
  }

  /// What goes in other zones, and `gone` here.
  func size(with gone: Set<String>) -> CascadeSize {
    CascadeSize(
      records: before.records + gone.count,
      bytes: before.bytes + gone.reduce(0) { $0 + (links.bytes[$1] ?? 0) },
      bytesRead: before.bytesRead + bytesRead)
  }

  /// What still goes when some records stay; nil if they depend on each other in too many steps.
  private func cascade(
    of gone: Set<String>, _ roots: [String], without kept: [(name: String, error: BrumeError)]
  ) -> Cascade? {
    var cascade = Cascade(
      gone, roots: roots, companions: links.companions, holdersMayStay: holdersMayStay)
    for name in gone {
      guard let needs = links.needs[name] else { continue }
      cascade.note(name, needs: needs.children, as: .child)
      cascade.note(name, needs: needs.holders, as: .holder)
    }
    let isSettled = cascade.keep(kept, rounds: context.limits.relationRounds) { name, need, other in
      switch need {
      case .child: isParent(name, of: other)
      case .holder: isTarget(name, of: other)
      }
    }
    return isSettled ? cascade : nil
  }

  /// The record and all that goes with it beside what goes already, the nearest first; nil if that is too much.
  private mutating func dependants(
    of name: String, beside gone: Set<String>, _ size: Int
  ) throws -> [String]? {
    var size = size
    var found: Set<String> = [name]
    var order = [name]
    var count = 0
    // What does not fit stays, or a stranger kept the record by what refers to it.
    func fitting() -> [String]? { holdersMayStay ? Array(order.prefix(max(1, count))) : nil }
    while count < order.count {
      if count > 0, hasReadEnough { return fitting() }
      guard let names = try companions(of: order[count]) else { return fitting() }
      for name in names
      where !isSaved(name) && !gone.contains(name) && found.insert(name).inserted {
        order.append(name)
      }
      let bytes = links.bytes[order[count]] ?? 0
      size += bytes
      try self.count(order[count], bytes)
      if gone.count + found.count > asked.count + Self.atOnce { try giveUp() }
      let records = before.records + gone.count + found.count
      if records > context.limits.cascade { return fitting() }
      // A record that has too much by itself goes alone.
      let isAlone = before.records == 0 && gone.isEmpty && count == 0
      if size > context.limits.cascadeBytes, !isAlone { return fitting() }
      count += 1
    }
    return order
  }

  /// In the public database anybody may refer to a record by DELETE_SELF. What cannot go with it stays, and refers to
  /// nothing then, or a stranger could keep its owner from deleting it (case DEL-06: the deletion does not wait).
  private var holdersMayStay: Bool { context.scope == .public }

  /// What goes directly with a record; nil if that is too much.
  private mutating func companions(of name: String) throws -> [String]? {
    if let known = links.companions[name] { return known }
    if links.tooLarge.contains(name) { return nil }
    let record = try stage.before(name)
    links.bytes[name] = Self.bytes(of: record)
    if let record, record.isShare { return [] }
    let key = RecordKey(zone: stage.zone, name: name)
    let limit = (givesUp ? min(Self.atOnce, context.limits.cascade) : context.limits.cascade) + 1
    var names = try stage.transaction.records.referrers(to: key, by: .deleteSelf, limit: limit)
    if names.count > Self.atOnce { try giveUp() }
    guard names.count < limit, try requireReferrers(names, to: name) else {
      links.tooLarge.insert(name)
      return nil
    }
    // A user record stays, and refers to nothing then. Else its user could keep others from deleting what is theirs. A share
    // ends when somebody ends it.
    names = try names.filter { other in
      try stage.before(other).map { !$0.isShare && !Self.isUserRecord($0, in: stage.zone) } ?? true
    }
    if let share = record?.share {
      names.append(share)
      guard let below = try descendants(of: name, limit: limit) else {
        links.tooLarge.insert(name)
        return nil
      }
      names += below
    }
    links.companions[name] = names
    return names
  }

  /// What goes below a shared root; nil if that is too much. What is below a record that the request moves stays with
  /// it: the move takes it out of the root's tree, or is refused and does not happen.
  private func descendants(of root: String, limit: Int) throws -> [String]? {
    let records = stage.transaction.records
    let below = try records.descendants(of: [root], in: stage.zone, limit: limit)
    if below.count > Self.atOnce { try giveUp() }
    if below.count >= limit { return nil }
    let moved = try links.moved.union(stage.movedNames()).intersection(below)
    if moved.isEmpty { return below }
    let kept = Set(try records.descendants(of: Array(moved), in: stage.zone, limit: limit))
    return below.filter { !kept.contains($0) }
  }

  /// Ours: records that go along and their bytes, up to which a write finds out by itself which they are. Others wait
  /// for it.
  private static let atOnce = 500
  private static let bytesAtOnce = 2 << 20

  private func giveUp() throws {
    guard givesUp else { return }
    throw LargeCascade(
      zone: stage.zone, names: asked, saved: Set(stage.puts.keys),
      moved: Set(try stage.movedNames()))
  }

  /// Counts a record when it is read, not when its turn comes: those of the next generation are in memory by then.
  private mutating func count(_ name: String, _ bytes: Int) throws {
    guard counted.insert(name).inserted else { return }
    bytesRead += bytes
    if !asked.contains(name) { bytesAlong += bytes }
    if bytesAlong > Self.bytesAtOnce { try giveUp() }
  }

  /// Whether twice as many bytes as may go were read for the request, of which some may stay.
  private var hasReadEnough: Bool {
    before.bytesRead + bytesRead > 2 * context.limits.cascadeBytes
  }

  /// What the request saves says itself what it refers to.
  private func isSaved(_ name: String) -> Bool {
    stage.puts[name] != nil || saved.contains(name)
  }

  /// Nothing keeps a share from ending, and nothing goes with it. `ReferenceRules` refuses what would; earlier versions
  /// did not.
  private func isShare(_ name: String) throws -> Bool {
    try stage.before(name)?.isShare ?? false
  }

  /// Each is read before it goes anyway. What the store finds it by may be damaged, and must not take another record
  /// along.
  ///
  /// - Returns: whether they are no more bytes than may go, and not enough was read. Others are not read.
  private mutating func requireReferrers(_ names: [String], to target: String) throws -> Bool {
    var bytes = 0
    for name in names where !isSaved(name) {
      let record = try stage.before(name)
      let pointers = record?.pointers(within: stage.zone) ?? []
      guard pointers.contains(where: { $0.target.text == target && $0.action == .deleteSelf })
      else { throw BrumeError.damaged("what refers to record '\(NameRules.shown(target))'") }
      let size = Self.bytes(of: record)
      bytes += size
      try count(name, size)
      if bytes > context.limits.cascadeBytes || hasReadEnough { return false }
    }
    return true
  }

  /// Ours: what an element of a list takes in memory beside its own bytes. An empty text has none.
  private static let elementBytes = 112

  /// What a record takes in memory, or nearly.
  static func bytes(of record: Record?) -> Int {
    guard let record else { return 0 }
    return record.fields.reduce(record.listElements * elementBytes) { $0 + $1.value.size }
  }

  private func tooMany(_ name: String) -> BrumeError {
    BrumeError(
      .limitExceeded,
      "with record '\(name)' and what goes with it, this request would delete more than "
        + "\(context.limits.cascade) records, or more than \(context.limits.cascadeBytes) bytes; delete them in steps"
    )
  }
}

// MARK: What keeps a record

extension Removals {
  /// Why nobody, or only the owner, deletes a record, whether it is asked for or goes with another.
  ///
  /// - Parameter shown: what the error calls it.
  static func forbidden(
    _ record: Record, in zone: ZoneKey, _ scope: DatabaseScope, shown: String
  ) -> BrumeError? {
    if isUserRecord(record, in: zone) {
      return BrumeError(
        .accessDenied,
        "user record \(shown) cannot be deleted; it stays as long as the account: clear its fields "
          + "instead")
    }
    guard scope == .shared, record.share != nil else { return nil }
    return BrumeError(
      .accessDenied,
      "DELETE operation not permitted: only the owner deletes \(shown), the root of a share; delete "
        + "the share to leave it")
  }

  private static func isUserRecord(_ record: Record, in zone: ZoneKey) -> Bool {
    record.type == Record.usersType && RecordKey(zone: zone, name: record.name).mayBeUser
  }

  /// The error for a record that goes while something still needs it.
  private mutating func error(
    for name: String, _ gone: Set<String>
  ) throws -> BrumeError? {
    if let record = try stage.before(name),
      let error = Self.forbidden(record, in: stage.zone, context.scope, shown: shown(name))
    {
      return error
    }
    var needs = try needs(of: name, limit: Needs.few)
    var error = remainder(name, needs, gone)
    if error == nil, !needs.isWhole {
      needs = try self.needs(of: name, limit: context.limits.cascade + stage.puts.count + 1)
      error = remainder(name, needs, gone)
    }
    return error
  }

  private mutating func needs(of name: String, limit: Int) throws -> Needs {
    if let known = links.needs[name], known.isWhole || limit == Needs.few { return known }
    if try isShare(name) { return Needs(children: [], holders: [], isWhole: true) }
    let key = RecordKey(zone: stage.zone, name: name)
    let children = try stage.transaction.records.children(of: key, limit: limit)
    let holders = try stage.transaction.records.referrers(to: key, by: .validate, limit: limit)
    let found = Needs(
      children: children, holders: holders,
      isWhole: limit > Needs.few || (children.count < limit && holders.count < limit))
    links.needs[name] = found
    return found
  }

  private func remainder(
    _ name: String, _ needs: Needs, _ gone: Set<String>
  ) -> BrumeError? {
    let child = needs.children.first { child in
      !gone.contains(child) && stage.puts[child].map { $0.parent == name } ?? true
    }
    if let child { return isParent(name, of: child) }
    let holder = needs.holders.first { holder in
      !gone.contains(holder)
        && stage.puts[holder].map { $0.targets(by: .validate).contains(name) } ?? true
    }
    return holder.map { isTarget(name, of: $0) }
  }

  private func isParent(_ name: String, of child: String) -> BrumeError {
    BrumeError(
      .validatingReferenceError,
      "\(subject(name)) cannot be deleted: it is the parent of \(shown(child)); delete or move "
        + "that one in the same request")
  }

  private func isTarget(_ name: String, of holder: String) -> BrumeError {
    BrumeError(
      .validatingReferenceError,
      "\(subject(name)) cannot be deleted: \(shown(holder)) refers to it with action VALIDATE; "
        + "delete that one first")
  }

  private func subject(_ name: String) -> String {
    asked.contains(name) ? "record '\(name)'" : shown(name)
  }

  /// Who does not see everything in the zone is given no names.
  private func shown(_ name: String) -> String {
    context.scope == .private ? "'\(name)'" : "another record"
  }
}
