// How much users and public databases hold, for operators.

package import BrumeModel
import BrumeStorage

/// What users and public databases hold, page by page.
package struct StorageReports: Sendable {
  private let store: any Store
  private let limits: Limits
  private let known: KnownSizes

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    known = parts.knownSizes
  }

  /// Users in the order of their names; the first page has the public databases too.
  ///
  /// - Parameter after: `StorageReport.after` of the page before; nil: from the start.
  /// - Throws: what the store throws.
  package func page(after: String?, limit: Int?) async throws -> StorageReport {
    let size = limits.listPage(limit)
    let (known, limits) = (known.all, limits)
    let (report, counted) = try await store.read { transaction in
      var count = SizeCount(known, atMost: limits.sizedRecords)
      let places = after == nil ? try transaction.publicSizes(&count) : []
      let users = try transaction.users.page(after: after, limit: size + 1)
      let owners = try users.prefix(size).map { try transaction.size(of: $0, &count) }
      let report = StorageReport(
        users: owners, publicDatabases: places, quota: limits.storageBytesPerUser,
        after: users.count > size ? users[size - 1].name : nil)
      return (report, count.counted)
    }
    self.known.note(counted, most: limits.sizedZones)
    return report
  }

  /// What one user holds.
  ///
  /// - Throws: what the store throws.
  package func report(on user: User) async throws -> StorageReport {
    let (known, limits) = (known.all, limits)
    let (owner, counted) = try await store.read { transaction in
      var count = SizeCount(known, atMost: limits.sizedRecords)
      return (try transaction.size(of: user, &count), count.counted)
    }
    self.known.note(counted, most: limits.sizedZones)
    return StorageReport(
      users: [owner], publicDatabases: [], quota: limits.storageBytesPerUser, after: nil)
  }
}

extension ReadTransaction {
  /// In all containers.
  fileprivate func size(
    of user: User, _ count: inout SizeCount
  ) throws -> StorageReport.Owner {
    var sum = StoredSize()
    for database in try zones.databases(of: user.id) {
      sum += try count.size(of: database, in: self)
    }
    return StorageReport.Owner(user.id, named: user.name, sum)
  }

  fileprivate func publicSizes(_ count: inout SizeCount) throws -> [StorageReport.Place] {
    try zones.databaseCounts().keys.sorted().compactMap { place in
      let size = try count.size(of: DatabaseKey(in: place, owner: nil), in: self)
      return size == StoredSize() ? nil : StorageReport.Place(place, size)
    }
  }
}
