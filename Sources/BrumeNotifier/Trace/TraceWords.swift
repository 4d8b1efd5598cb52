// The sentences of a trace: what each gate asks, and what its failure means. They name fields and types, never
// values.

import BrumeModel

extension Trace.Gate.Name {
  /// Asked of each subscription in the order of `FireRules`, then of one that matches in the order of `Gates`.
  static var ofSubscription: [Self] {
    [.database, .recordType, .zone, .event, .start, .condition, .subscription, .right, .writer]
  }

  /// What a subscription is like that passes.
  fileprivate var passed: String {
    switch self {
    case .database: "It watches the database of the change."
    case .recordType: "It watches the record type."
    case .zone: "It watches the zone."
    case .event: "It fires for this kind of change."
    case .start: "It was there before the change."
    case .condition: "Its conditions hold for the record."
    case .subscription: "It was still the same when the push was made."
    case .right: "Its user may read the record."
    case .writer: "Its user has other devices than the one that made the change."
    case .device, .mailbox, .merging, .permission, .age, .answer, .fetch: ""
    }
  }
}

extension Trace.Gate {
  /// What came of the questions about a subscription: it passed those before the one that it failed, and was not asked
  /// those behind.
  ///
  /// - Parameters:
  ///   - failed: nil: it passed all.
  ///   - reason: what its failure means.
  static func ofSubscription(
    failed: Name?, _ reason: String, _ source: Trace.Source
  ) -> [Trace.Gate] {
    let order = Name.ofSubscription
    let end = failed.flatMap { order.firstIndex(of: $0) } ?? order.count
    return order.enumerated().map { index, gate in
      if index < end { return Trace.Gate(gate, .passed, gate.passed, source) }
      return index == end
        ? Trace.Gate(gate, .failed, reason, source)
        : Trace.Gate(gate, .notAsked, "An earlier question ended it.", source)
    }
  }
}

extension Withheld {
  var verdict: Trace.Verdict {
    switch self {
    case .replaced: .replaced
    case .noRight: .noRight
    case .shareLeft: .shareLeft
    case .ownWriter: .ownWriter
    case .damaged: .damaged
    }
  }

  var gate: Trace.Gate.Name {
    switch self {
    case .replaced, .damaged: .subscription
    case .noRight, .shareLeft: .right
    case .ownWriter: .writer
    }
  }

  func sentence(_ user: String) -> String {
    switch self {
    case .replaced:
      "It was removed, or saved with other conditions, before the push was made."
    case .noRight: "\(user) may not read the record: the schema grants it to no role of \(user)."
    case .shareLeft: "No share that \(user) takes part in covers the record."
    case .ownWriter:
      "\(user) has no other device than the one that made the change; none is notified of its own."
    case .damaged:
      "What is stored of \(user) is damaged; 'brume doctor --deep' names it."
    }
  }
}

extension FireMiss {
  var gate: Trace.Gate.Name {
    switch self {
    case .database: .database
    case .recordType: .recordType
    case .zone: .zone
    case .event: .event
    case .start: .start
    case .image, .condition: .condition
    }
  }

  var verdict: Trace.Verdict {
    switch self {
    case .database, .zone: .zone
    case .recordType: .recordType
    case .event: .event
    case .start: .createdLater
    case .image: .unknown
    case .condition: .condition
    }
  }

  /// It watches something else: never a candidate.
  var isOfPlace: Bool {
    switch self {
    case .database, .recordType, .zone: true
    case .event, .start, .image, .condition: false
    }
  }

  func sentence(_ stored: StoredSubscription, _ record: TracedRecord) -> String {
    switch self {
    case .database:
      return "It watches \(stored.scope.scope.rawValue) data that this change is not part of."
    case .recordType: return "It watches records of type \(stored.subscription.watchedType)."
    case .zone: return stored.subscription.watchedZones
    case .event: return "It fires on \(stored.subscription.watchedEvents) only."
    case .start:
      return "It was saved after the change, or saved anew with other conditions."
    case .image:
      return "The record's state was not kept, so its conditions cannot be judged any more."
    case .condition(let filter):
      let field = filter.field.map { "field '\($0)'" } ?? "the searchable fields"
      let when = record.isRecorded ? "of the change" : "as it is now"
      return
        "Its condition \(filter.comparator.rawValue) on \(field) does not hold for the record \(when)."
    }
  }
}

extension Subscription {
  fileprivate var watchedType: String {
    switch kind {
    case .query(let query, _, _, _): "'\(query.recordType)'"
    case .zone(_, let type), .database(let type): type.map { "'\($0)'" } ?? "any, and no zones"
    }
  }

  fileprivate var watchedZones: String {
    switch kind {
    case .query(_, let zone?, _, _), .zone(let zone, _): "It watches zone '\(zone.name)'."
    case .query, .database: "A database subscription does not watch the default zone."
    }
  }

  fileprivate var watchedEvents: String {
    guard case .query(_, _, let events, _) = kind else { return "any event" }
    return events.map(\.rawValue).sorted().joined(separator: " and ")
  }
}
