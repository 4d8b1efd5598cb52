// This counts the exchanges of operators and of the audit log.

import BrumeModel
import BrumeStorage

final class CountedOperators<Inner: OperatorReading>: OperatorReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func find(_ id: String) throws -> Operator? {
    count.asks()
    return try inner.find(id)
  }

  func find(named name: String) throws -> Operator? {
    count.asks()
    return try inner.find(named: name)
  }

  func all() throws -> [Operator] {
    count.asks()
    return try inner.all()
  }

  func credential(_ id: String) throws -> OperatorCredential? {
    count.asks()
    return try inner.credential(id)
  }

  func credentials() throws -> [OperatorCredential] {
    count.asks()
    return try inner.credentials()
  }
}

extension CountedOperators: OperatorWriting where Inner: OperatorWriting {
  func put(_ person: Operator) throws {
    count.writes()
    return try inner.put(person)
  }

  func remove(_ id: String) throws {
    count.writes()
    return try inner.remove(id)
  }

  func put(_ credential: OperatorCredential) throws {
    count.writes()
    return try inner.put(credential)
  }

  func removeCredential(_ id: String) throws {
    count.writes()
    return try inner.removeCredential(id)
  }
}

final class CountedAudit<Inner: AuditReading>: AuditReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func entries(
    _ filter: AuditFilter, before position: Int64, limit: Int
  ) throws -> [AuditEntry] {
    count.asks()
    return try inner.entries(filter, before: position, limit: limit)
  }
}

extension CountedAudit: AuditWriting where Inner: AuditWriting {
  func append(_ entry: AuditEntry, keeping bounds: AuditBounds) throws {
    count.writes()
    return try inner.append(entry, keeping: bounds)
  }

  func setStatus(_ status: Int, ofRequest requestID: String) throws {
    count.writes()
    return try inner.setStatus(status, ofRequest: requestID)
  }
}
