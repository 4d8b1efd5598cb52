// What the notifier knows between its transactions, as one value with one owner. All of it can be made
// again from the store; forgetting it loses nothing.

import BrumeModel
import BrumeStorage

struct NotifierState: Sendable {
  /// The order of a fan-out that takes several transactions, so that it is made once.
  private struct Ongoing: Sendable {
    let position: Int64
    let matches: [SubscriptionIndex.Match]
  }

  /// How far the log is served; nil until loaded.
  private(set) var cursor: NotifierCursor?
  private(set) var coalescers: Coalescers
  /// The position in the store, which entries that concern nobody leave behind.
  private var savedPosition: Int64 = 0
  /// Subscriptions to shared databases that are in the index for the entries read last.
  private var ofReaders: [SubscriptionKey] = []
  private var index = SubscriptionIndex()
  private var ongoing: Ongoing?
  private var history = HistoryPlace()
  private let limits: Limits
  /// When the history is next looked through for what is too old.
  private var sweepAt: Milliseconds = .min

  /// - Parameter historyRows: changes and deliveries that the history keeps of this bucket.
  init(_ limits: Limits, historyRows: Int) {
    self.limits = limits
    history.rows = historyRows
    coalescers = Coalescers(capacity: limits.coalescedKeys)
  }

  var subscriptionCount: Int { index.count - index.sharedCount }
  var heldMatches: Int { ongoing?.matches.count ?? 0 }

  mutating func load(
    _ index: SubscriptionIndex, _ cursor: NotifierCursor, lastDelivery: Int64
  ) {
    history.lastDelivery = lastDelivery
    self.index = index
    self.cursor = cursor
    savedPosition = cursor.position
  }

  /// Start positions keep a subscription from firing for entries before its own, so the index may run ahead
  /// of the entries.
  mutating func follow(_ batch: LogBatch) {
    for (key, stored) in batch.subscriptions {
      if let stored { index.put(stored) } else { index.remove(key) }
    }
    if let new = batch.ofReaders, !(new.isEmpty && ofReaders.isEmpty) { follow(ofReaders: new) }
  }

  private mutating func follow(ofReaders new: [StoredSubscription]) {
    for key in ofReaders { index.remove(key) }
    for stored in new { index.put(stored) }
    ofReaders = new.map(\.key)
    // Matches that were held name rows of the index, which may be others' now.
    ongoing = nil
  }
}

// MARK: Finding what matches

extension NotifierState {
  /// What is to be done for a batch's entries, as far as one transaction has room for it.
  ///
  /// - Parameter room: subscriptions that one transaction serves.
  mutating func jobs(
    of batch: LogBatch, from start: NotifierCursor, room: Int
  ) throws -> [FanOut.Job] {
    var jobs: [FanOut.Job] = []
    var room = room
    for entry in batch.entries where room > 0 {
      let served = jobs.isEmpty ? start.served : nil
      let job = try job(entry, batch, after: served, room: room)
      room -= job.targets.count
      jobs.append(job)
    }
    return jobs
  }

  private mutating func job(
    _ entry: LogEntry, _ batch: LogBatch, after served: NotifierCursor.Served?, room: Int
  ) throws -> FanOut.Job {
    let image = try image(of: entry)
    if entry.imageBytes > limits.historyImageBytes, history.largeImagesAfter == nil {
      history.largeImagesAfter = entry.position - 1
    }
    let matches = ordered(entry, image, batch)
    let left = unserved(matches, after: served)
    let targets = left.prefix(room).compactMap { match in
      index.key(of: match).map { FanOut.Target(startPosition: match.startPosition, key: $0) }
    }
    return FanOut.Job(
      entry: entry, image: image, targets: targets, later: left.count - min(left.count, room))
  }

  /// Finds what fires in the changed database itself, and in the shared databases of those who take
  /// part. Who may read the record is asked later, when the notification is made.
  private mutating func ordered(
    _ entry: LogEntry, _ image: Record?, _ batch: LogBatch
  ) -> [SubscriptionIndex.Match] {
    // What was subscribed since is younger, what was removed since has no key.
    if let ongoing, ongoing.position == entry.position { return ongoing.matches }
    let searchable = batch.searchable.names(image?.type, entry.database)
    var found = index.matches(entry, image: image) { searchable.contains($0) }
    if let readers = batch.readers[entry.position], !readers.isEmpty {
      found.append(index.matches(entry, sharedWith: readers))
    }
    let matches = index.ordered(found)
    ongoing = matches.count > 1 ? Ongoing(position: entry.position, matches: matches) : nil
    return matches
  }

  private func image(of entry: LogEntry) throws -> Record? {
    guard case .record(let change) = entry.event, index.needsImage(of: change, in: entry.database)
    else { return nil }
    // Without one, what subscriptions ask of it is unknown, and nothing fires.
    guard let image = change.image, !image.isUnreadable else { return nil }
    return try image.record()
  }

  /// What comes after the last match that an earlier transaction served.
  private func unserved(
    _ all: [SubscriptionIndex.Match], after served: NotifierCursor.Served?
  ) -> ArraySlice<SubscriptionIndex.Match> {
    guard let served else { return all[...] }
    let start = all.end(ofThose: { $0.startPosition < served.startPosition })
    return all[start...].drop { match in
      match.startPosition == served.startPosition
        && index.key(of: match).map { $0 <= served.key } ?? true
    }
  }
}

// MARK: After a transaction

extension NotifierState {
  /// Passes entries that concern nobody without writing: a save that nobody watches costs one
  /// commit, not two. After a crash they are read again and again concern nobody, because what was
  /// subscribed since has a later start position. Nil if there is something to do, or much to save.
  func skipped(_ jobs: [FanOut.Job], from start: NotifierCursor) -> FanOut.Outcome? {
    guard let last = jobs.last?.entry.position, start.served == nil,
      last - savedPosition < Int64(limits.notifierUnsavedEntries),
      jobs.allSatisfy(\.concernsNobody)
    else { return nil }
    return FanOut.Outcome(cursor: NotifierCursor(position: last), isSaved: false)
  }

  mutating func served(_ outcome: FanOut.Outcome, now: Milliseconds) {
    cursor = outcome.cursor
    if outcome.isSaved { saved(outcome, now) }
    for key in outcome.firedOnce { index.remove(key) }
    coalescers.keep(outcome.coalescers)
    if ongoing?.position != outcome.unfinished { ongoing = nil }
  }

  private mutating func saved(_ outcome: FanOut.Outcome, _ now: Milliseconds) {
    savedPosition = outcome.cursor.position
    history.lastDelivery = outcome.lastDelivery
    // What was left out is still to be done.
    guard outcome.keptUp else { return }
    // Of an unfinished entry the image is still needed.
    if outcome.unfinished == nil { history.largeImagesAfter = nil }
    if sweeps(now) { sweepAt = now + limits.historySweep }
  }

  /// Further away than it is ever put means that the clock was set back.
  private func sweeps(_ now: Milliseconds) -> Bool {
    sweepAt <= now || sweepAt > now + limits.historySweep
  }

  /// What a transaction at this time knows of the history.
  func historyPlace(_ now: Milliseconds) -> HistoryPlace {
    var place = history
    place.sweeps = sweeps(now)
    return place
  }
}
