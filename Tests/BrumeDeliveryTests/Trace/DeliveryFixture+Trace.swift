// Traces of what happened in a delivery fixture.

import BrumeModel
import BrumeNotifier
import BrumeStorage

@testable import BrumeCore
@testable import BrumeDelivery

extension Limits {
  /// With a history of a day, and a few rows more than a test makes.
  static func remembering(_ change: (inout Limits) -> Void = { _ in }) -> Limits {
    var limits = Limits()
    limits.historyAge = 86_400_000
    limits.historyRows = 1000
    change(&limits)
    return limits
  }
}

extension DeliveryFixture {
  /// The trace of the newest change of a record in Alice's zone, or of the public database.
  func trace(
    _ record: String, in zone: String = DeliveryFixture.zone.name, of user: UserID? = nil,
    _ device: String? = nil
  ) async throws -> Trace {
    var question = TraceQuestion(in: Self.containerEnvironment)
    question.record = (record, zone)
    question.user = user
    question.device = device.map { DeviceID($0) }
    return try await trace(question)
  }

  /// - Parameter fetches: of a server that has been there from the start.
  func trace(
    _ question: TraceQuestion, fetches: LastFetches = LastFetches(capacity: 9, since: 0)
  ) async throws -> Trace {
    let (clock, now) = (clock, clock.now)
    let pushes = PushTrace(
      limits: limits, now: { clock.now }, maySend: SendPermission(engine.permission),
      fetches: fetches)
    let tracing = Tracing(engine) { try pushes.explain($0, in: $1) }
    return try await store.read { try tracing.trace(question, now: now, in: $0) }
  }
}

extension Trace {
  /// The verdict on each subscription, by its ID.
  var verdicts: [String: Verdict] {
    Dictionary(subscriptions.map { ($0.subscription, $0.verdict) }, uniquingKeysWith: { $1 })
  }

  /// The verdict on each device, by its name.
  var deviceVerdicts: [String: Verdict] {
    Dictionary(
      subscriptions.flatMap(\.devices).map { ($0.device, $0.verdict) }, uniquingKeysWith: { $1 })
  }

  /// The gate at which a subscription failed.
  func failedGate(_ subscription: String) -> Gate.Name? {
    subscriptions.first { $0.subscription == subscription }?.gates.first {
      $0.outcome == .failed
    }?.name
  }
}
