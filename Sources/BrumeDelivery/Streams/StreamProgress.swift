// How far one device at its event stream has been served, as a value: what to send, when to read the
// mailbox, when to ask the client back. It owns no socket and no clock.
//
// A stream that has caught up gets new entries delivered as they are committed, without reading the
// mailbox; one that is behind reads until it has caught up. At least once: an entry stays in the
// mailbox until the device acknowledges it by its position, across reconnects and restarts. Sending is
// not acknowledging, because bytes that a socket took may never arrive. So that a device that only
// listens does not fill its mailbox, a stream ends when half a mailbox is sent and unacknowledged.

package import BrumeModel
package import BrumeStorage

/// Give it each event, and carry out what it returns, in that order.
package struct StreamProgress: Equatable, Sendable {
  /// What the stream must do next.
  package enum Action: Equatable, Sendable {
    case send([MailboxEntry])
    /// Read the mailbox after this position and report what was found.
    case read(after: Int64)
    /// The same, when what was sent before has left.
    case readWhenDrained(after: Int64)
    /// Report when this time has come.
    case wake(at: Milliseconds)
    /// Nothing more: the client comes back and acknowledges.
    case end
  }
  private enum Phase: Equatable {
    case live
    /// `again`: something was committed that the reading may have missed.
    case reading(again: Bool)
    case ended
  }

  private var phase = Phase.reading(again: false)
  /// Everything up to here is sent.
  private var position: Int64
  private var unacknowledged: [Int64] = []
  /// Something that is not due yet waits in the mailbox, perhaps before what is committed next: the notifier moves it
  /// behind that only if it has not forgotten it, and not once it is due.
  private var hasWaiting = false
  private let mostUnacknowledged: Int
  private let window: Milliseconds

  /// - Parameter position: what the device has acknowledged.
  package init(after position: Int64, limits: Limits) {
    self.position = position
    mostUnacknowledged = max(1, limits.mailboxRows / 2)
    window = limits.coalescingWindow
  }

  /// Whether entries are sent as they are committed.
  package var hasCaughtUp: Bool { phase == .live }

  /// The connection is ready to be written to.
  package mutating func started() -> [Action] {
    (phase, hasWaiting) = (.reading(again: false), false)
    return [.read(after: position)]
  }

  /// What a reading found: entries that may be delivered, and when the next may.
  ///
  /// - Parameter isAll: whether the mailbox was read to its end.
  package mutating func found(
    _ entries: [MailboxEntry], nextDue: Milliseconds?, isAll: Bool
  ) -> [Action] {
    guard case .reading(let again) = phase else { return [] }
    var actions = sent(entries)
    if phase == .ended { return actions }
    if again || !isAll {
      phase = .reading(again: false)
      return actions + [.readWhenDrained(after: position)]
    }
    (phase, hasWaiting) = (.live, nextDue != nil)
    if let nextDue { actions.append(.wake(at: nextDue)) }
    return actions
  }

  /// Entries were committed to the device's mailbox.
  ///
  /// - Parameter hasRoom: whether the connection takes more without piling it up.
  package mutating func committed(
    _ entries: [MailboxEntry], now: Milliseconds, hasRoom: Bool
  ) -> [Action] {
    switch phase {
    case .ended: return []
    case .reading:
      phase = .reading(again: true)
      return []
    case .live: break
    }
    let new = entries.kept { $0.position > position }
    let due = new.kept { $0.isDue(at: now, window: window) }
    if !due.isEmpty, !hasRoom || hasWaiting || due.count < new.count {
      phase = .reading(again: false)
      return [hasRoom ? .read(after: position) : .readWhenDrained(after: position)]
    }
    if !due.isEmpty { return sent(due) }
    guard let later = new.map(\.time).min() else { return [] }
    hasWaiting = true
    return [.wake(at: later)]
  }

  /// Something in the mailbox may be due, or new.
  package mutating func mayHaveMore() -> [Action] {
    switch phase {
    case .ended: return []
    case .reading:
      phase = .reading(again: true)
      return []
    case .live: return started()
    }
  }

  /// The device has handled everything up to and including this position.
  package mutating func acknowledged(through position: Int64) {
    unacknowledged.removeAll { $0 <= position }
  }

  private mutating func sent(_ entries: [MailboxEntry]) -> [Action] {
    guard !entries.isEmpty else { return [] }
    for entry in entries {
      unacknowledged.append(entry.position)
      // Faults bring entries again, and in another order. The cursor never goes back for it.
      position = max(position, entry.position)
    }
    guard unacknowledged.count >= mostUnacknowledged else { return [.send(entries)] }
    phase = .ended
    return [.send(entries), .end]
  }
}

extension [MailboxEntry] {
  /// Those for which this is so. Nearly always it is so for all, and nothing is copied.
  fileprivate func kept(_ isSo: (MailboxEntry) -> Bool) -> [MailboxEntry] {
    allSatisfy(isSo) ? self : filter(isSo)
  }
}

extension MailboxEntry {
  /// Whether a reader may deliver it. An entry that is due later than merging can make it comes from
  /// before the clock was set back.
  func isDue(at now: Milliseconds, window: Milliseconds) -> Bool {
    time <= now || time > now + window
  }
}
