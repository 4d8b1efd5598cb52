// What became of a push after it was put into a mailbox, for a trace: by the push log, by what waits in the
// mailbox, and by the rule that is asked when a push leaves.
//
// What of it was noted when it happened, and what is judged again now, is said of each fact.

package import BrumeCore
package import BrumeModel
package import BrumeStorage
import BrumeWire

/// Judges pushes, for an operator.
package struct PushTrace: Sendable {
  private let limits: Limits
  private let now: @Sendable () -> Milliseconds
  private let maySend: SendPermission
  private let fetches: LastFetches

  package init(
    limits: Limits, now: @escaping @Sendable () -> Milliseconds, maySend: SendPermission,
    fetches: LastFetches
  ) {
    self.fetches = fetches
    self.limits = limits
    self.now = now
    self.maySend = maySend
  }

  /// What became of it, by what is true in this transaction.
  ///
  /// - Throws: what the transaction throws.
  package func explain(
    _ push: TracedPush, in transaction: any ReadTransaction
  ) throws -> Trace.Device {
    let known = try transaction.devices.find(push.device)
    let entry = try transaction.mailboxes.entries(
      of: push.device, after: 0, limit: limits.mailboxRows
    ).first { $0.isOf(push) }
    var end = try entry.map { try waiting($0, push, known, transaction) } ?? ended(push, known)
    end.attempts = push.attempts.map {
      Trace.Attempt(
        time: $0.time, verdict: $0.verdict, number: $0.attempt, status: $0.status,
        reason: $0.reason)
    }
    end.gates = gates(end)
    addFetch(to: &end, push)
    return end
  }

  /// A push that arrived is a reason to fetch: did the device?
  private func addFetch(to end: inout Trace.Device, _ push: TracedPush) {
    guard let taken = push.attempts.last(where: { $0.verdict == .sent })?.time,
      end.verdict == .sent || end.verdict == .acknowledged
    else {
      end.gates.append(Trace.Gate(.fetch, .notAsked, "It has not come so far.", end.source))
      return
    }
    switch fetches.fetch(by: push.device, since: taken) {
    case .fetched:
      end.gates.append(Trace.Gate(.fetch, .passed, "The device has fetched since.", .recorded))
    case .nothing:
      end.reason += " It has fetched nothing since."
      end.gates.append(
        Trace.Gate(.fetch, .failed, "The device has fetched nothing since.", .recorded))
    case .unknown:
      end.gates.append(
        Trace.Gate(
          .fetch, .unknown, "Fetches are known since this server began, which was later.",
          .recorded))
    }
  }

  // MARK: It waits

  private func waiting(
    _ entry: MailboxEntry, _ push: TracedPush, _ known: Device?, _ transaction: any ReadTransaction
  ) throws -> Trace.Device {
    // What an open stream has written is in the mailbox until the device acknowledges it.
    var device = verdict(
      push, .waiting,
      "It waits until the device acknowledges it; one whose stream or poll is open may have it already.",
      .judged)
    device.due = entry.time
    if try maySend.allowed(entry, push.device, transaction) == nil {
      device.reason = "It waits, and will be withdrawn: its user may not read this any more."
    } else if !entry.isDue(at: now(), window: limits.coalescingWindow) {
      device.reason = "It waits for more changes to be merged with."
    } else if push.channel != .stream, known?.channel == .stream {
      device.verdict = .signedOut
      device.reason =
        "The device was signed out after the change; the push waits until it registers again."
    } else if let last = push.attempts.last, last.verdict == .retry {
      device.verdict = .retry
      device.reason = "It is sent again: \(last.answer) at attempt \(last.attempt)."
    } else if known?.channel.kind.isPushed == true {
      device.reason = "It waits to be sent."
    }
    return device
  }

  // MARK: It left the mailbox

  private func ended(_ push: TracedPush, _ known: Device?) -> Trace.Device {
    if let last = push.attempts.last(where: { $0.verdict != .retry }) {
      return verdict(push, last.traceVerdict, last.traceReason, .recorded)
    }
    if let other = push.replacedBy {
      var device = verdict(push, .merged, "It was merged into notification \(other).", .recorded)
      device.mergedInto = other
      return device
    }
    if let other = push.overflowedBy {
      var device = verdict(
        push, .merged,
        "The mailbox was full: 'fetch everything' (notification \(other)) took the place of all.",
        .recorded)
      device.mergedInto = other
      return device
    }
    if known == nil {
      return verdict(
        push, .signedOut, "The device was removed, and with it what waited for it.", .judged)
    }
    return verdict(
      push, .unknown,
      "It left the mailbox, and the push log remembers no answer: it keeps \(limits.pushLogRows) rows.",
      .judged)
  }

  private func verdict(
    _ push: TracedPush, _ verdict: Trace.Verdict, _ reason: String, _ source: Trace.Source
  ) -> Trace.Device {
    Trace.Device(
      device: push.device.device.name, channel: push.channel.rawValue, verdict: verdict,
      reason: reason, source: source)
  }

  // MARK: Gates

  private func gates(_ end: Trace.Device) -> [Trace.Gate] {
    let order: [Trace.Gate.Name] = [.device, .mailbox, .merging, .permission, .age, .answer]
    let stop = order.firstIndex(of: end.verdict.gate ?? .answer) ?? order.count
    let isDone = end.verdict == .sent || end.verdict == .acknowledged
    return order.enumerated().map { index, gate in
      if index < stop || isDone { return Trace.Gate(gate, .passed, gate.fact, end.source) }
      return index == stop
        ? Trace.Gate(gate, end.verdict.isOpen ? .unknown : .failed, end.reason, end.source)
        : Trace.Gate(gate, .notAsked, "It has not come so far.", end.source)
    }
  }
}

extension Trace.Gate.Name {
  /// What is true of a push that passes.
  fileprivate var fact: String {
    switch self {
    case .device: "The device is registered."
    case .mailbox: "It was put into the mailbox."
    case .merging: "No later push took its place."
    case .permission: "Its user might read it when it left."
    case .age: "It did not wait too long."
    case .answer: "It was taken."
    case .start, .database, .zone, .recordType, .event, .condition, .subscription, .right, .writer,
      .fetch:
      ""
    }
  }
}

extension Trace.Verdict {
  /// The gate at which a push with this verdict is; nil for verdicts of subscriptions.
  fileprivate var gate: Trace.Gate.Name? {
    switch self {
    case .signedOut: .device
    case .stoppedByFault: .mailbox
    case .merged: .merging
    case .withdrawn: .permission
    case .expired: .age
    case .waiting, .sent, .acknowledged, .retry, .gone, .refused, .unknown: .answer
    case .fired, .createdLater, .recordType, .event, .zone, .condition, .replaced, .noRight,
      .shareLeft, .ownWriter, .damaged, .noDevice, .pending:
      nil
    }
  }

  /// The push may still arrive, or may have.
  fileprivate var isOpen: Bool { self == .waiting || self == .retry || self == .unknown }
}

extension MailboxEntry {
  fileprivate func isOf(_ push: TracedPush) -> Bool {
    notificationID == push.notificationID
      && ByteText(subscriptionID) == ByteText(push.subscriptionID)
  }
}

extension PushLogEntry {
  private var isFetched: Bool {
    Device.Channel.Kind(rawValue: channel)?.isPushed == false
  }

  fileprivate var traceVerdict: Trace.Verdict {
    switch verdict {
    case .sent: isFetched ? .acknowledged : .sent
    case .retry: .retry
    case .gone: .gone
    case .refused: .refused
    case .withdrawn: .withdrawn
    case .expired: .expired
    case .stopped: .stoppedByFault
    }
  }

  /// What the other side said.
  fileprivate var answer: String {
    let status = status.map { "status \($0)" } ?? "no answer"
    return reason.isEmpty ? status : "\(status) (\(reason))"
  }

  fileprivate var traceReason: String {
    switch verdict {
    case .sent where isFetched: "The device acknowledged it."
    case .sent: "\(otherSide) took it: \(answer)."
    case .retry: "\(otherSide) did not take it: \(answer)."
    case .gone: "\(otherSide) says that the device is gone: \(answer)."
    case .refused: "\(otherSide) will never take it: \(answer)."
    case .withdrawn: "It was withdrawn when it left: \(reason)."
    case .expired: "It waited too long; one 'fetch everything' took its place."
    case .stopped: "A fault stopped it: \(reason)."
    }
  }

  private var otherSide: String {
    switch Device.Channel.Kind(rawValue: channel) {
    case .apns: "Apple"
    case .webpush: "The push service"
    case .stream, .courier, nil: "The device"
    }
  }
}
