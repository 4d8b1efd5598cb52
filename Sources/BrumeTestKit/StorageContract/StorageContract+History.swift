// The history of deliveries, the log as far as it is its other half, and a trace of both.

import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumeStorage

extension StorageContract {
  static let history: [Case] = [
    Case("what was done for a change is found by the change, and by what came before") { store in
      let bucket = store.sampleBucket
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.history.append([.sample(2, at: 7), .sample(5, at: 9)], in: bucket)
        try transaction.history.append([.sample(6, at: 9)], in: bucket)
      }
      try await store.read { transaction in
        let history = transaction.history
        try expectEqual(try history.lastDelivery(in: bucket), 6, "last delivery")
        try expectEqual(
          try history.served(at: 9, in: bucket), [.sample(5, at: 9), .sample(6, at: 9)], "of 9")
        try expectEqual(try history.served(at: 8, in: bucket), [], "of a change that had none")
        try expectEqual(
          try history.served(after: 2, in: bucket, limit: 1), [.sample(5, at: 9)], "after 2")
        try expectEqual(try history.served(after: 6, in: bucket, limit: 9), [], "after all")
      }
    },
    Case("the history is trimmed by number, and by age no further than it is looked at") { store in
      let bucket = store.sampleBucket
      try await store.write(in: .everything(of: store)) { transaction in
        try expectEqual(try transaction.history.lastDelivery(in: bucket), 0, "an empty history")
        try transaction.history.append(
          (Int64(1)...6).map { ServedChange.sample($0, at: $0) }, in: bucket)
        try transaction.history.trim(in: bucket, through: 1)
        // Of 2, 3 and 4, which were served at times of the same number.
        try transaction.history.trim(in: bucket, before: 6, rows: 3)
        try transaction.history.trim(in: bucket, before: 5, rows: 1)
      }
      let left = try await store.read { try $0.history.served(after: 0, in: bucket, limit: 9) }
      try expectEqual(left.map(\.last), [5, 6], "what is left")
    },
    Case("the log is trimmed by age, through a position, and remembers its last") { store in
      let bucket = store.sampleBucket
      try await store.write(in: .everything(of: store)) { transaction in
        for time in 1...6 { try transaction.logChange("r", at: Int64(time)) }
        try transaction.log.trim(in: bucket, through: 4, before: 6, rows: 3)
      }
      func positions() async throws -> [Int64] {
        try await store.read {
          try $0.log.entries(in: bucket, after: 0, limit: 9).map(\.position)
        }
      }
      try expectEqual(try await positions(), [4, 5, 6], "after three")
      try await store.write(in: .everything(of: store)) {
        try $0.log.trim(in: bucket, through: 5, before: 99, rows: 9)
        try $0.log.trim(in: bucket, through: 6, before: 6, rows: 9)
      }
      try expectEqual(try await positions(), [6], "6 is not older than 6")
      try await store.write(in: .everything(of: store)) {
        try $0.log.trim(in: bucket, through: 6, before: 7, rows: 9)
      }
      let last = try await store.read { try $0.log.lastPosition(in: bucket) }
      try expectEqual(last, 6, "the last position of an empty log")
    },
    Case("large images leave the log, and nothing else of it") { store in
      let bucket = store.sampleBucket
      try await store.write(in: .everything(of: store)) { transaction in
        for size in [10, 900, 10, 900] {
          try transaction.logChange("r", at: 1, text: String(repeating: "x", count: size))
        }
      }
      try await store.write(in: .everything(of: store)) {
        try $0.log.dropImages(in: bucket, after: 0, through: 3, largerThan: 800)
      }
      let kept = try await store.read { transaction in
        try transaction.log.entries(in: bucket, after: 0, limit: 9).map { entry in
          guard case .record(let change) = entry.event, change.record.name == "r" else {
            return "no change of r"
          }
          return change.image == nil ? "without" : "with"
        }
      }
      try expectEqual(kept, ["with", "without", "with", "with"], "images")
    },
    Case("changes are found by record, by request and by age, newest first") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.logChange("a", at: 1)
        try transaction.logChange("b", at: 2)
        try transaction.logChange("a", at: 3, in: .sample("Other"))
        try transaction.logChange("a", at: 4, request: "R4")
        try transaction.log.append(
          .subscription(SubscriptionScope.ofHistory, id: "a"), in: .sample(),
          origin: .at(5, request: "R4"))
        try transaction.log.append(
          .zoneCreated(.sample()), in: .sample(), origin: .at(6, request: "R4"))
        let production = DatabaseKey(in: .sampleProduction, owner: UserID("_a1"))
        try transaction.log.append(
          .zoneCreated(ZoneKey(database: production, name: "Trails")), in: production,
          origin: .at(7, request: "R4"))
      }
      func times(_ limit: Int = 9, _ change: (inout LogFilter) -> Void) async throws -> [Int64] {
        var filter = LogFilter(in: .sample)
        change(&filter)
        let asked = filter
        return try await store.read {
          try $0.log.newest(asked, limit: limit).map(\.origin.time)
        }
      }
      try expectEqual(try await times { $0.record = ("a", "Trails") }, [4, 1], "by record")
      try expectEqual(try await times { $0.record = ("a", "Other") }, [3], "of another zone")
      try expectEqual(try await times { $0.requestID = "R4" }, [6, 4], "by request")
      try expectEqual(try await times { $0.since = 3 }, [6, 4, 3], "by age")
      try expectEqual(try await times(2) { _ in }, [6, 4], "the newest two")
    },
    Case("a trace says what became of a change, to another process too") { store in
      let path = try await TracedPath(store)
      try await path.change("n")
      try await path.notifier.drain()
      let trace = try await path.trace("n")
      try expectEqual(trace.subscriptions.map(\.verdict), [.fired], "the subscription")
      try expectEqual(trace.subscriptions.first?.source, .recorded, "where it is from")
      try expectEqual(
        trace.subscriptions.flatMap(\.devices).map(\.verdict), [.waiting, .ownWriter], "devices")
      // As after a restart: nothing but the store is known.
      let other = try await TracedPath(store, prepares: false)
      try expectEqual(try await other.trace("n"), trace, "the trace of another process")
      // Another reader sees only as much as is kept: two changes, two deliveries.
      for name in ["o", "p"] {
        try await other.change(name)
        try await other.notifier.drain()
      }
      try expectEqual(try await other.trace("n").change, nil, "a change beyond the bound")
      try expectEqual(
        try await other.trace("o").subscriptions.map(\.verdict), [.fired], "one within it")
    },
  ]
}

/// A user with two devices and one subscription, and a notifier that keeps a history of two rows.
private struct TracedPath {
  static let user = UserID("_a1")
  let store: any Store
  let engine: Engine
  let notifier: Notifier

  init(_ store: any Store, prepares: Bool = true) async throws {
    self.store = store
    var limits = Limits()
    limits.historyAge = 1000
    limits.historyRows = 2 * store.bucketCount
    let host = Host(
      now: { 100 }, uuid: { "UUID" }, randomBytes: { Array(repeating: 7, count: $0) })
    engine = try await Engine(store: store, limits: limits, host: host)
    notifier = Notifier(
      of: store.sampleBucket, engine: engine, store: store, host: host, encode: { _ in [1] },
      delivery: TestDelivery())
    guard prepares else { return }
    try await store.write(in: .everything(of: store)) { transaction in
      for name in ["laptop", "phone"] {
        try transaction.devices.put(
          Device(key: .sample(name), channel: .stream, registered: 1))
      }
      let start = try transaction.log.append(
        .subscription(.ofHistory, id: "s"), in: .sample(), origin: .at(1, request: "S"))
      try transaction.subscriptions.put(
        StoredSubscription(
          scope: .ofHistory,
          subscription: Subscription(
            id: "s", kind: .zone(ZoneID(name: "Trails"), recordType: nil), info: nil),
          starts: LogPositions(start, in: store.sampleBucket)))
    }
  }

  func change(_ name: String) async throws {
    try await store.write(in: .everything(of: store)) { try $0.logChange(name, at: 50) }
  }

  func trace(_ name: String) async throws -> Trace {
    let tracing = Tracing(engine) { push, _ in
      Trace.Device(
        device: push.device.device.name, channel: push.channel.rawValue, verdict: .waiting,
        reason: "", source: .judged)
    }
    var question = TraceQuestion(in: .sample)
    question.record = (name, "Trails")
    let asked = question
    return try await store.read { try tracing.trace(asked, now: 100, in: $0) }
  }
}

extension SubscriptionScope {
  fileprivate static let ofHistory = SubscriptionScope(
    in: .sample, scope: .private, user: UserID("_a1"))
}

extension ServedChange {
  /// Served at the time that is its number.
  fileprivate static func sample(_ last: Int64, at position: Int64) -> ServedChange {
    ServedChange(
      last: last, position: position, generation: 3, time: last, deliveries: 1,
      bytes: [UInt8(last), 0, 255])
  }
}

extension Origin {
  fileprivate static func at(_ time: Milliseconds, request: String) -> Origin {
    Origin(
      user: UserID("_a1"), device: DeviceID("laptop"), requestID: request, time: time)
  }
}

extension WriteTransaction {
  fileprivate func logChange(
    _ name: String, at time: Milliseconds, in zone: ZoneKey = .sample(), request: String = "R",
    text: String = ""
  ) throws {
    let image = StoredRecord(
      name: name, type: "Trail", sequence: 7,
      content: .value(.sample(name, in: zone, sequence: 7, fields: ["t": .string(text)])))
    let change = RecordChange(
      record: RecordKey(zone: zone, name: name), recordType: "Trail", kind: .created, image: image)
    try log.append(
      .record(change), in: zone.database, origin: .at(time, request: request))
  }
}
