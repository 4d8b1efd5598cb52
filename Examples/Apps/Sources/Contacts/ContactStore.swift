// Contacts in a zone of their own, kept in step by a zone subscription and a change token. What was
// fetched and the token are kept in one file, so that the next launch fetches only what is new.

import CloudKit
import Foundation

public struct Contact: Codable, Equatable, Sendable, Identifiable {
  public let id: String
  public let name: String
}

public actor ContactStore {
  public static let subscriptionID = "changes-contacts"
  private static var zone: CKRecordZone { CKRecordZone(zoneName: "Contacts") }
  private let database: CKDatabase
  private let file: URL?

  private struct Cache: Codable {
    var contacts: [String: Contact] = [:]
    var token: Data?
    var isPrepared = false
  }
  private var cache = Cache()

  /// - Parameter file: where the contacts are kept between launches; nil keeps nothing.
  public init(container: CKContainer, file: URL? = nil) {
    database = container.privateCloudDatabase
    self.file = file
    if let file, let data = try? Data(contentsOf: file),
      let kept = try? JSONDecoder().decode(Cache.self, from: data)
    {
      cache = kept
    }
  }

  /// What the list shows.
  public var contacts: [Contact] { cache.contacts.values.sorted { $0.name < $1.name } }

  // MARK: Launch

  /// Creates the zone and the subscription on the first launch, and fetches what is new.
  public func launch() async throws {
    if !cache.isPrepared {
      try await prepare()
    }
    try await fetchChanges()
  }

  private func prepare() async throws {
    _ = try await database.modifyRecordZones(saving: [Self.zone], deleting: [])
    let subscription = CKRecordZoneSubscription(
      zoneID: Self.zone.zoneID, subscriptionID: Self.subscriptionID)
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    _ = try await database.modifySubscriptions(saving: [subscription], deleting: [])
    cache.isPrepared = true
    keep()
  }

  // MARK: What the user does

  public func add(_ name: String) async throws {
    let id = CKRecord.ID(recordName: UUID().uuidString, zoneID: Self.zone.zoneID)
    let record = CKRecord(recordType: "Contact", recordID: id)
    record["name"] = name
    try await preparedAgain { try await database.save(record) }
    cache.contacts[id.recordName] = Contact(id: id.recordName, name: name)
    keep()
  }

  public func delete(_ contact: Contact) async throws {
    let id = CKRecord.ID(recordName: contact.id, zoneID: Self.zone.zoneID)
    try await database.deleteRecord(withID: id)
    cache.contacts[contact.id] = nil
    keep()
  }

  /// The zone may have been deleted elsewhere; then it is made again.
  private func preparedAgain(_ save: () async throws -> Void) async throws {
    do {
      try await save()
    } catch let error as CKError where error.code == .zoneNotFound {
      try await prepare()
      try await save()
    }
  }

  // MARK: Pushes and changes

  /// What the app delegate does with a push. Answers whether there was anything new.
  nonisolated(nonsending) public func received(_ userInfo: [AnyHashable: Any]) async throws -> Bool {
    guard
      let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
        as? CKRecordZoneNotification,
      notification.recordZoneID == Self.zone.zoneID
    else { return false }
    try await fetchChanges()
    return true
  }

  public func fetchChanges() async throws {
    do {
      var moreComing = true
      while moreComing {
        let changes = try await database.recordZoneChanges(
          inZoneWith: Self.zone.zoneID, since: token)
        take(changes.modificationResultsByID)
        for deletion in changes.deletions { cache.contacts[deletion.recordID.recordName] = nil }
        token = changes.changeToken
        moreComing = changes.moreComing
        keep()
      }
    } catch let error as CKError where error.code == .changeTokenExpired {
      token = nil
      cache.contacts = [:]
      try await fetchChanges()
    } catch let error as CKError where error.code == .zoneNotFound || error.code == .userDeletedZone
    {
      cache = Cache()
      keep()
    }
  }

  private func take(
    _ results: [CKRecord.ID: Result<CKDatabase.RecordZoneChange.Modification, any Error>]
  ) {
    for case .success(let change) in results.values {
      guard let name = change.record["name"] as? String else { continue }
      let id = change.record.recordID.recordName
      cache.contacts[id] = Contact(id: id, name: name)
    }
  }

  // MARK: Keeping

  private var token: CKServerChangeToken? {
    get {
      cache.token.flatMap {
        try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: $0)
      }
    }
    set {
      cache.token = newValue.flatMap {
        try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
      }
    }
  }

  private func keep() {
    guard let file, let data = try? JSONEncoder().encode(cache) else { return }
    try? data.write(to: file, options: .atomic)
  }
}
