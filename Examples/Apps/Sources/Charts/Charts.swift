// A job for a server: counts the whistles of each genre and publishes the chart. It has no user; it
// speaks with a server-to-server key, which reaches the public database.

import CloudKit
import Foundation

public struct Charts: Sendable {
  public static let recordID = CKRecord.ID(recordName: "chart")
  private let database: CKDatabase

  public init(container: CKContainer) { database = container.publicCloudDatabase }

  /// Counts every whistle, page by page.
  public func count() async throws -> [String: Int] {
    var counts: [String: Int] = [:]
    let query = CKQuery(recordType: "Whistles", predicate: NSPredicate(value: true))
    var (results, cursor) = try await database.records(matching: query, desiredKeys: ["genre"])
    while true {
      for case (_, .success(let record)) in results {
        counts[record["genre"] as? String ?? "Unknown", default: 0] += 1
      }
      guard let next = cursor else { return counts }
      (results, cursor) = try await database.records(continuingMatchFrom: next)
    }
  }

  /// Publishes the genres, the most whistled first. Whatever the last run wrote is replaced.
  @discardableResult
  public func publish() async throws -> [String] {
    let counts = try await count()
    let order = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let chart = CKRecord(recordType: "Chart", recordID: Self.recordID)
    chart["genres"] = order.map(\.key)
    chart["counts"] = order.map { Int64($0.value) }
    let saved = try await database.modifyRecords(
      saving: [chart], deleting: [], savePolicy: .allKeys)
    _ = try saved.saveResults[Self.recordID]?.get()
    return order.map(\.key)
  }
}
