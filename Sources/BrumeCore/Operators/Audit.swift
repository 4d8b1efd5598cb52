// The audit log: a line for every request of an operator that changes something, for sign-ins, and for what
// was refused. The line is durable before the work begins, so that nothing is done without one; what came
// of it is noted afterwards. No line holds a secret or a value of a field.

package import BrumeModel
import BrumeStorage

/// What operators did.
package struct Audit: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// One request, as its line says it.
  package struct Act: Sendable {
    package var operatorName: String
    /// Where the request came from.
    package var address: String
    package var requestID: String
    /// The path below `/_brume/admin/`.
    package var action: String
    /// Whom or what it is done to, by name. What is too long is cut.
    package var subject = ""
    /// Empty: the request is about none.
    package var container = ""
    package var environment = ""

    package init(operatorName: String, address: String, requestID: String, action: String) {
      self.operatorName = operatorName
      self.address = address
      self.requestID = requestID
      self.action = action
    }
  }

  /// To be called before the work begins.
  ///
  /// - Throws: what the store throws: then nothing is to be done.
  package func begin(_ act: Act) async throws { try await append(act, status: nil) }

  /// What came of it. May be lost with the power: then the line has no status.
  ///
  /// - Throws: what the store throws.
  package func finish(_ act: Act, status: Int) async throws {
    try await store.writeRepeatable(in: .server) {
      try $0.audit.setStatus(status, ofRequest: act.requestID)
    }
  }

  /// A request that was not let in. Whoever calls this bounds how often.
  ///
  /// - Throws: what the store throws.
  package func refused(_ act: Act, status: Int) async throws {
    try await append(act, status: status, isRefused: true)
  }

  /// A page, newest first.
  ///
  /// - Parameter before: the position of the last line of the page before; nil: the first page.
  /// - Returns: the lines, and the `before` of the next page if there may be one.
  /// - Throws: what the store throws.
  package func page(
    _ filter: AuditFilter, before: Int64?, limit: Int
  ) async throws -> (entries: [AuditEntry], next: Int64?) {
    let count = max(1, min(limit, limits.auditPage))
    let found = try await store.read {
      try $0.audit.entries(filter, before: before ?? .max, limit: count + 1)
    }
    let page = Array(found.prefix(count))
    return (page, found.count > count ? page.last?.position : nil)
  }

  private func append(_ act: Act, status: Int?, isRefused: Bool = false) async throws {
    let entry = AuditEntry(
      time: host.now(), operatorName: act.operatorName, address: act.address,
      requestID: act.requestID, action: act.action,
      subject: Self.shown(act.subject, within: limits.labelBytes),
      container: Self.shown(act.container, within: limits.labelBytes), environment: act.environment,
      status: status,
      isRefused: isRefused)
    let bounds = AuditBounds(limits, at: host.now())
    try await store.write(in: .server) { try $0.audit.append(entry, keeping: bounds) }
  }

  /// A text within a bound of bytes, and without what a terminal would obey.
  package static func shown(_ text: String, within bytes: Int) -> String {
    let harmless = String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7f...0x9f).contains($0.value) }))
    guard harmless.utf8.count > bytes else { return harmless }
    return String(decoding: harmless.utf8.prefix(bytes), as: UTF8.self) + "…"
  }
}
