// This writes the audit log as requests come: a line before each request of an operator that changes something or
// takes somebody's data along, and one for each that was refused, as many as a second may have. The log itself is
// `BrumeCore/Operators/Audit.swift`.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire
import HTTPTypes
import Logging
import Synchronization

/// One for each server.
final class AuditLog: Sendable {
  private static let paths = "/_brume/admin/"
  /// What changes no row of the store.
  private static let ofBackups = ["backups", "backups/remove"]
  private let audit: Audit
  private let refusals: Mutex<RateLimiter<Bool>>
  private let host: Host
  private let logger: Logger

  init(_ audit: Audit, limits: Limits, host: Host, logger: Logger) {
    self.audit = audit
    self.host = host
    self.logger = logger
    refusals = Mutex(
      RateLimiter(
        perSecond: limits.auditRefusalsPerSecond, burst: limits.auditRefusalsBurst, maximumKeys: 1))
  }

  /// The path below the operator's.
  static func action(_ endpoint: Endpoint) -> String {
    endpoint.path.hasPrefix(paths) ? String(endpoint.path.dropFirst(paths.count)) : endpoint.path
  }

  /// Carries out a call; its line, if it has one, is durable before.
  func carryOut(
    _ call: Call, _ endpoint: Endpoint, _ work: () async throws -> Reply
  ) async throws -> Reply {
    guard let act = act(call, endpoint) else { return try await work() }
    let needsNoLine = call.caller.access == .owner && Self.ofBackups.contains(act.action)
    return try await carryOut(act, needsNoLine: needsNoLine, work)
  }

  /// The same for what somebody does who was nobody before: signing in.
  ///
  /// - Parameter needsNoLine: whether it is done also if the disk has no room for the line. Who owns the data folder can read
  ///   all of it without the server, and before he makes room he may want a backup.
  func carryOut(
    _ act: Audit.Act, needsNoLine: Bool = false, _ work: () async throws -> Reply
  ) async throws -> Reply {
    do { try await audit.begin(act) } catch let error as StoreError
      where error.code == .noRoom && needsNoLine
    {
      logger.warning(
        "the disk is full: what the owner of the data folder does has no line in the audit log",
        metadata: ["operator.action": "\(act.action)", "request.id": "\(act.requestID)"])
    }
    do {
      let reply = try await work()
      // The work is done: a line without a status says less, and nothing wrong.
      try? await audit.finish(act, status: reply.status.code)
      return reply
    } catch {
      try? await audit.finish(act, status: Self.status(of: error))
      throw error
    }
  }

  /// Notes a refusal, if not too many came before it. It does not fail: the refusal counts.
  func refused(
    _ sender: OperatorSender, by name: String, action: String, _ error: any Error
  ) async {
    let now = host.now()
    guard refusals.withLock({ $0.take(true, now: now) }) == nil else { return }
    let act = Audit.Act(
      operatorName: name, address: sender.address.name, requestID: sender.requestID,
      action: action)
    try? await audit.refused(act, status: Self.status(of: error))
  }

  /// Finds out who somebody is who was nobody before, and notes it if that is refused.
  func identify<Value>(
    _ call: Call, action: String, _ work: () async throws -> Value
  ) async throws -> Value {
    do { return try await work() } catch {
      await refused(call.sender, by: "", action: action, error)
      throw error
    }
  }

  private func act(_ call: Call, _ endpoint: Endpoint) -> Audit.Act? {
    guard case .operator(let effect) = endpoint.access, effect.isAudited,
      let access = call.caller.access
    else { return nil }
    var act = Audit.Act(
      operatorName: access.name, address: call.address.name, requestID: call.caller.requestID,
      action: Self.action(endpoint))
    act.subject = Self.subject(of: call, effect)
    act.container = call.databasePath.container?.name ?? ""
    act.environment = call.databasePath.environment?.rawValue ?? ""
    return act
  }

  private static func subject(of call: Call, _ effect: Effect) -> String {
    switch effect {
    case .changes(let key?, let part):
      withoutSecret(text(key, in: call), key) + (part.map { ", \($0) " + text($0, in: call) } ?? "")
    case .reveals(let parameter?): NameRules.shown(call.query[parameter] ?? "")
    case .changes, .reveals, .reads, .endsSession: ""
    }
  }

  private static func text(_ key: String, in call: Call) -> String {
    (try? call.json())?[key]?.string ?? ""
  }

  /// People paste a secret in the place of its name, and read-only operators read these lines. IDs of keys have the
  /// same form, and are none.
  private static func withoutSecret(_ subject: String, _ key: String) -> String {
    key == "name" && OperatorSecret.isPart(of: subject) ? "" : subject
  }

  private static func status(of error: any Error) -> Int {
    switch error {
    case let error as BrumeError: error.code.meaning.httpStatus
    case let refused as RefusedRequest:
      refused.status?.code ?? refused.error.code.meaning.httpStatus
    case let error as StoreError where error.code == .corrupt:
      BrumeError.damaged("").code.meaning.httpStatus
    case is StoreError, is AssetFailure, is CancellationError: 503
    default: 500
    }
  }
}
