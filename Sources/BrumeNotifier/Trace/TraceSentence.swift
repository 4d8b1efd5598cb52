// A trace in one sentence.

import BrumeModel

struct TraceSentence {
  private let trace: Trace
  /// Whom the question is about, such as `bob's device 'phone'`; nil: everybody.
  private let asked: String?
  /// Whose subscriptions the question is about; nil: everybody's. A device has none of its own.
  private let user: String?

  init(_ trace: Trace, _ asked: String?, of user: String?) {
    self.trace = trace
    self.asked = asked
    self.user = user
  }

  var text: String {
    let devices = trace.subscriptions.flatMap(\.devices)
    if devices.isEmpty { return nobody }
    let reached = devices.filter { $0.verdict == .sent || $0.verdict == .acknowledged }
    let subject = asked.map { "The push to \($0)" } ?? "The push"
    if reached.count == devices.count {
      return devices.count == 1
        ? "\(subject) for \(change) arrived: \(lowered(reached[0].reason))"
        : "All \(devices.count) devices got a push for \(change)."
    }
    let rest = devices.first { $0.verdict != .sent && $0.verdict != .acknowledged }
    let why = rest.map { lowered($0.reason) } ?? ""
    // Who waits may have got it, and has not said so.
    let waits = rest?.verdict == .waiting
    if devices.count == 1 {
      return "\(subject) for \(change) \(waits ? "is under way" : "did not arrive"): \(why)"
    }
    return
      "\(reached.count) of \(devices.count) devices got a push for \(change); "
      + "'\(rest?.device ?? "")' \(waits ? "acknowledged none yet" : "did not"): \(why)"
  }

  private var nobody: String {
    let whom = asked ?? "Nobody"
    let verb = asked == nil ? "was" : "was not"
    guard let nearest = trace.subscriptions.first else {
      let whose = user.map { "\($0) has no subscription" } ?? "no subscription watches it"
      return "\(whom) \(verb) notified of \(change): \(whose)."
    }
    if nearest.verdict == .pending {
      return "\(change.prefix(1).uppercased() + change.dropFirst()) is not served yet."
    }
    return
      "\(whom) \(verb) notified of \(change): the nearest is \(nearest.user)'s subscription "
      + "'\(nearest.subscription)'. \(nearest.reason)"
  }

  private var change: String {
    guard let change = trace.change else { return "the change" }
    let zone = change.zone.map { " in zone '\($0)'" } ?? ""
    switch change.kind {
    case .created, .updated, .deleted:
      return "record '\(change.record ?? "")'\(zone) (\(change.kind.rawValue))"
    case .zoneCreated: return "the new zone '\(change.zone ?? "")'"
    case .zoneDeleted: return "the deleted zone '\(change.zone ?? "")'"
    case .membership: return "a share's participant\(zone)"
    }
  }

  /// As the rest of a sentence.
  private func lowered(_ sentence: String) -> String {
    let first = sentence.prefix { $0 != " " }
    // Names and abbreviations stay as they are.
    guard ["It", "The", "This", "No", "Nobody", "All", "A"].contains(String(first)) else {
      return sentence
    }
    return sentence.prefix(1).lowercased() + sentence.dropFirst()
  }
}
