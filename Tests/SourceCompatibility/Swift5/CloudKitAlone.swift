// Written here. Models as apps write them with nothing imported but CloudKit, which brings
// Foundation along, and records that go from task to task: Apple's are `Sendable` since 2023.

import CloudKit

/// What a screen shows: observed, and Observation is not imported.
@MainActor @Observable final class BookmarkList {
  private(set) var bookmarks: [Bookmark] = []

  func add(_ bookmark: Bookmark) { bookmarks.append(bookmark) }
}

/// Needs dates, data, identifiers and queues, and imports none of them.
struct Bookmark: Codable, Hashable {
  var id = UUID()
  var address: URL?
  var added = Date()
  var thumbnail: Data?

  var record: CKRecord {
    let record = CKRecord(recordType: "Bookmark", recordID: .init(recordName: id.uuidString))
    record["address"] = address?.absoluteString
    record["added"] = added as NSDate
    record["order"] = (address == nil ? 0 : 1) as NSNumber
    record["thumbnail"] = thumbnail
    return record
  }

  static func added(since date: Date, by users: [CKRecord.Reference]) -> NSPredicate {
    NSPredicate(format: "added > %@ AND owner IN %@", date as CVarArg, users as CVarArg)
  }

  /// What a library that keeps values of its own makes of them, before it knows the format.
  static func argument(_ value: any Sendable) -> (any CVarArg)? {
    switch value {
    case let data as Data: data as NSData
    case let names as Set<String>: names as CVarArg
    default: nil
    }
  }

  static func with(thumbnail: Data, in places: NSSet) -> NSPredicate {
    NSPredicate(
      format: "thumbnail == %@ AND place IN %@", thumbnail as CVarArg, places as CVarArg)
  }

  static func near(_ place: CLLocation, owner: CKRecord.Reference) -> NSPredicate {
    NSPredicate(
      format: "distanceToLocation:fromLocation:(place, %@) < %f AND owner == %@",
      place as CVarArg, 500.0, owner as CVarArg)
  }

  func later(_ work: @escaping @Sendable () -> Void) {
    DispatchQueue.global(qos: .utility).async(execute: work)
  }
}

/// What a library makes of an engine's events, to hand on to whoever listens.
enum Happening: Sendable {
  case fetched([CKRecord], gone: [CKRecord.ID])
  case saved(CKRecord, in: CKRecordZone)
  case shared(CKShare, with: [CKShare.Participant])
  case asked(CKQuery, about: any CKRecordKeyValueSetting & Sendable)
}

/// The store of a library: records come from the engine's task and are read on the main actor.
actor RecordShelf {
  private var records: [CKRecord.ID: CKRecord] = [:]

  func put(_ record: CKRecord) { records[record.recordID] = record }
  func record(for id: CKRecord.ID) -> CKRecord? { records[id] }

  @MainActor func title(of id: CKRecord.ID) async -> String? {
    await record(for: id)?["title"] as? String
  }
}

/// The calls of a database that a library can put a mock behind.
protocol RecordSource: Sendable {
  func record(for recordID: CKRecord.ID) async throws -> CKRecord
  func save(_ record: CKRecord) async throws -> CKRecord
  func save(_ zone: CKRecordZone) async throws -> CKRecordZone
  func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID
}
extension CKDatabase: RecordSource {}

extension CKDatabase {
  /// Hands a body of its own on to the framework.
  func patiently<R>(_ body: @Sendable (CKDatabase) async throws -> R) async throws -> R {
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = 10
    return try await configuredWith(configuration: configuration, body: body)
  }

  func all(_ ids: [CKRecord.ID]) async throws -> [CKRecord] {
    try await withThrowingTaskGroup(of: CKRecord.self) { group in
      for id in ids { group.addTask { try await self.record(for: id) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}
