// One zone's part of a request, inside the transaction: judge every item, check how the items relate
// to each other and to what is stored, and only then write. Each step is a value of its own, which knows
// what it needs and answers what it found: `RecordRules`, `ShareRules`, `Relations`, `StorageQuota`,
// `BatchWriter`. What failing items mean for the others is `AtomicBatch`.

import BrumeModel
import BrumeStorage

struct ZoneBatch {
  private let context: ModifyContext
  private let view: ZoneView
  private let stage: Stage
  private let access: BatchAccess
  private let rules: RecordRules
  private let transaction: any WriteTransaction
  private let links: Removals.Links?
  private var verdicts: Verdicts
  /// The schema with what the items brought that is new, except those that were refused. What is refused as a whole
  /// teaches nothing.
  private(set) var schema: JustInTimeSchema
  /// What the answer holds of records so far, over all zones of the request.
  private(set) var answerBytes: Int

  /// - Parameter found: what a read has found of what the deletions take along; nil: there was none.
  init(
    _ items: [RecordItem], in zone: ZoneKey, schema: JustInTimeSchema, context: ModifyContext,
    among joined: inout JoinedShares, transaction: any WriteTransaction, answerBytes: Int,
    found: FoundCascade?
  ) throws {
    self.context = context
    self.transaction = transaction
    self.schema = schema
    self.answerBytes = answerBytes
    view = try ZoneView(
      of: zone, in: context.scope, for: context.caller, among: &joined,
      leaving: items.allSatisfy(\.kind.isDelete) ? items.map(\.name) : [], from: transaction)
    links = try found?.links(in: view.zone, transaction)
    stage = Stage(transaction, zone: zone, schema: schema, context.limits)
    access = try BatchAccess(context, view, stage)
    rules = RecordRules(
      context, stage, access,
      ShareRules(context, stage, access, namesInBatch: Set(items.map(\.name))))
    verdicts = Verdicts(items, stage)
  }

  /// Judges, then writes what may be written. The results are in the order of the items.
  ///
  /// - Parameter gone: what goes with the deletions of the request, over all its zones; all of it is one write.
  /// - Throws: `LargeCascade` if a read should find before what the deletions take along; `UnfinishedWrite` for what fails
  ///   when something is written already.
  mutating func run(behind gone: inout CascadeSize) throws -> [RecordResult] {
    (stage.boundBytes, stage.hiddenBytes) = (gone.boundBytes, gone.hiddenBytes)
    defer { (gone.boundBytes, gone.hiddenBytes) = (stage.boundBytes, stage.hiddenBytes) }
    let items = verdicts.items
    for position in items.indices where !items[position].isShare { try judge(position) }
    let relations = Relations(context, view, stage, access, links, behind: gone)
    var goes = gone
    var cascade = try relations.settle(&verdicts, &goes)
    gone.bytesRead = goes.bytesRead
    // A share needs its root as the batch leaves it, and the zone's shares as they are when others have ended.
    let shares = items.indices.filter { items[$0].isShare }
    for position in shares where items[position].kind.isDelete { try judge(position) }
    for position in shares where !items[position].kind.isDelete { try judge(position) }
    try relations.failOrphans(among: shares, in: &verdicts, beside: cascade)
    let quota = try StorageQuota(context, view, stage, in: transaction)
    cascade = try relations.settle(&verdicts, &goes, within: quota, beside: cascade)
    gone.bytesRead = goes.bytesRead
    var roots = SharedRoots(context, view, stage)
    try roots.failSecondShares(in: &verdicts)
    verdicts.spread(isAtomic: context.isAtomic && view.zone.isAtomic)
    if verdicts.failures.count == items.count { return verdicts.results([:]) }
    schema = try stage.schemaOfLiving(in: context.scope)
    try stage.putRoots()
    var writer = try BatchWriter(
      verdicts, context, view.zone, stage, access, quota.stored, in: transaction)
    let outcomes = try UnfinishedWrite.whole(in: stage.zone) { try writer.write(beside: cascade) }
    gone = goes
    return verdicts.results(outcomes)
  }

  private mutating func judge(_ position: Int) throws {
    let item = verdicts.items[position]
    if let flaw = item.flaw { return verdicts.fail(position, flaw) }
    do {
      verdicts.judge(position, try judgement(of: item))
      if !fits(stage.puts[item.name]) {
        verdicts.fail(position, context.limits.answerIsFull(before: item.name))
      }
    } catch let error as BrumeError {
      let isShown = fits(error.serverRecord)
      verdicts.fail(
        position, isShown ? error : context.limits.answerIsFull(before: item.name))
    }
  }

  /// What is deleted is not in the answer, whose bound is that of saves.
  private func judgement(of item: RecordItem) throws -> Judgement {
    guard item.kind.isDelete else { return try rules.judgement(of: item) }
    return try stage.boundingReads { try rules.judgement(of: item) }
  }

  /// Counts a record that the answer will show; one always fits. A share that somebody leaves is not shown, and written as
  /// a whole: it counts too, or everybody would wait for hundreds of large ones.
  private mutating func fits(_ record: Record?) -> Bool {
    guard let record else { return true }
    let isFirst = answerBytes == 0
    answerBytes += record.answerBytes
    return isFirst || answerBytes <= context.limits.answerBytes
  }
}
