// Long-lived operations: written down before they ask the server, found again by a later run of the
// program, and asked again there under the same ID, which the server answers as it did the first
// time, for a day. See `OperationArchive.swift` in BrumeClient for where they are kept.
//
// Nothing but the program itself runs them: unlike on Apple's systems, an operation rests while its
// program is not running.

import BrumeClient
import Foundation

/// An operation that can be written down: its archive holds what it asks, not its blocks.
protocol LongLivedOperation: CKOperation {
  /// Writes what the operation asks.
  func encodeRequest(with coder: NSCoder)
  /// Takes on what an archive says the operation asks.
  func decodeRequest(from coder: NSCoder)
}

enum LongLived {
  /// The operations that can be written down, by the name that archives have for them.
  private static let kinds: [String: Kind] = [
    "modifyRecords": Kind { CKModifyRecordsOperation() },
    "fetchRecords": Kind { CKFetchRecordsOperation() },
    "query": Kind { CKQueryOperation() },
    "modifyRecordZones": Kind { CKModifyRecordZonesOperation() },
    "fetchRecordZones": Kind { CKFetchRecordZonesOperation() },
    "fetchDatabaseChanges": Kind { CKFetchDatabaseChangesOperation() },
    "fetchRecordZoneChanges": Kind { CKFetchRecordZoneChangesOperation() },
    "modifySubscriptions": Kind { CKModifySubscriptionsOperation() },
    "fetchSubscriptions": Kind { CKFetchSubscriptionsOperation() },
  ]

  /// A class of operations, and how to make one: `init()` cannot be `required`, or else apps could not
  /// override it as they override Apple's.
  private struct Kind: Sendable {
    let type: any LongLivedOperation.Type
    let make: @Sendable () -> any LongLivedOperation

    init<Operation: LongLivedOperation>(_ make: @escaping @Sendable () -> Operation) {
      type = Operation.self
      self.make = make
    }
  }

  /// The operation as bytes; nil for kinds that cannot be written down, and for what an archive cannot hold.
  static func content(of operation: CKOperation) -> [UInt8]? {
    guard let operation = operation as? any LongLivedOperation,
      let kind = kinds.first(where: { $0.value.type == type(of: operation) })?.key,
      hasAllFiles(operation)
    else { return nil }
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    coder.encodeText(kind, "kind")
    operation.effective.set.encode(with: coder)
    if let operation = operation as? CKDatabaseOperation {
      coder.encode(operation.effectiveDatabase.databaseScope.rawValue, forKey: "scope")
    }
    operation.encodeRequest(with: coder)
    coder.finishEncoding()
    return coder.error == nil ? [UInt8](coder.encodedData) : nil
  }

  /// Assets that are to be saved are written down by their files, which have to stay where they are
  /// until the save is done. Without one of them the record would be half, which is worse than none.
  private static func hasAllFiles(_ operation: CKOperation) -> Bool {
    let records = (operation as? CKModifyRecordsOperation)?.recordsToSave ?? []
    return records.allSatisfy { record in
      record.assetsBySpot.allSatisfy { spot, asset in
        asset.fileURL != nil || asset.imported != nil || !record.changes.contains(spot.key)
      }
    }
  }

  /// The operation that bytes stand for; nil if they are from another version or damaged.
  static func operation(
    _ entry: OperationArchive.Entry, in container: CKContainer
  ) -> CKOperation? {
    guard let coder = try? NSKeyedUnarchiver(forReadingFrom: Data(entry.content)) else {
      return nil
    }
    // Otherwise Foundation on Linux stops the program at a value of another kind.
    coder.decodingFailurePolicy = .setErrorAndReturn
    guard let kind = coder.text("kind").flatMap({ kinds[$0] }) else { return nil }
    let operation = kind.make()
    operation.operationID = entry.id
    operation.configuration = CKOperation.Configuration(.init(from: coder))
    operation.isLongLived = true
    operation.container = container
    if let operation = operation as? CKDatabaseOperation {
      let scope = CKDatabase.Scope(rawValue: coder.decodeInteger(forKey: "scope"))
      operation.database = container.database(with: scope ?? .private)
    }
    operation.decodeRequest(from: coder)
    // Where nobody knows when it was begun, the server may have forgotten it.
    (operation as? CKModifyRecordsOperation)?.begunBefore = entry.begun ?? .distantPast
    // After a failure nothing more is read, so that the operation would ask for less than it did.
    return coder.text("kind") == nil ? nil : operation
  }
}

// MARK: What each kind asks

extension CKModifyRecordsOperation: LongLivedOperation {
  func encodeRequest(with coder: NSCoder) {
    coder.encode(NSArray(array: recordsToSave ?? []), forKey: "saves")
    coder.encode(NSArray(array: recordIDsToDelete ?? []), forKey: "deletes")
    coder.encode(savePolicy.rawValue, forKey: "policy")
    coder.encodeBytes(clientChangeTokenData.map { [UInt8]($0) }, "clientData")
    coder.encode(isAtomic, forKey: "isAtomic")
  }

  func decodeRequest(from coder: NSCoder) {
    let records = coder.objects(CKRecord.self, "saves")
    ArchivedFile.put(ArchivedFile.decode(from: coder), into: records)
    recordsToSave = records
    recordIDsToDelete = coder.objects(CKRecord.ID.self, "deletes")
    savePolicy =
      RecordSavePolicy(rawValue: coder.decodeInteger(forKey: "policy")) ?? .ifServerRecordUnchanged
    clientChangeTokenData = coder.bytes("clientData").map { Data($0) }
    isAtomic = coder.decodeBool(forKey: "isAtomic")
  }
}

extension CKFetchRecordsOperation: LongLivedOperation {
  func encodeRequest(with coder: NSCoder) {
    coder.encode(NSArray(array: recordIDs ?? []), forKey: "ids")
    coder.encode(fetchesCurrentUser, forKey: "currentUser")
    coder.encodeKeys(desiredKeys)
  }

  func decodeRequest(from coder: NSCoder) {
    recordIDs = coder.objects(CKRecord.ID.self, "ids")
    fetchesCurrentUser = coder.decodeBool(forKey: "currentUser")
    desiredKeys = coder.desiredKeys
  }
}

extension CKQueryOperation: LongLivedOperation {
  func encodeRequest(with coder: NSCoder) {
    if let query { coder.encode(query, forKey: "query") }
    if let cursor { coder.encode(cursor, forKey: "cursor") }
    if let zoneID { coder.encode(zoneID, forKey: "zone") }
    coder.encode(resultsLimit, forKey: "limit")
    coder.encodeKeys(desiredKeys)
  }

  func decodeRequest(from coder: NSCoder) {
    query = coder.object(CKQuery.self, "query")
    cursor = coder.object(Cursor.self, "cursor")
    zoneID = coder.object(CKRecordZone.ID.self, "zone")
    resultsLimit = coder.decodeInteger(forKey: "limit")
    desiredKeys = coder.desiredKeys
  }
}

extension CKModifyRecordZonesOperation: LongLivedOperation {
  func encodeRequest(with coder: NSCoder) {
    coder.encode(NSArray(array: recordZonesToSave ?? []), forKey: "saves")
    coder.encode(NSArray(array: recordZoneIDsToDelete ?? []), forKey: "deletes")
  }

  func decodeRequest(from coder: NSCoder) {
    recordZonesToSave = coder.objects(CKRecordZone.self, "saves")
    recordZoneIDsToDelete = coder.objects(CKRecordZone.ID.self, "deletes")
  }
}

extension CKFetchRecordZonesOperation: LongLivedOperation {
  func encodeRequest(with coder: NSCoder) {
    coder.encode(NSArray(array: recordZoneIDs ?? []), forKey: "ids")
    coder.encode(fetchesAll, forKey: "all")
  }

  func decodeRequest(from coder: NSCoder) {
    recordZoneIDs = coder.objects(CKRecordZone.ID.self, "ids")
    fetchesAll = coder.decodeBool(forKey: "all")
  }
}

extension CKFetchDatabaseChangesOperation: LongLivedOperation {
  func encodeRequest(with coder: NSCoder) {
    if let previousServerChangeToken { coder.encode(previousServerChangeToken, forKey: "token") }
    coder.encode(resultsLimit, forKey: "limit")
    coder.encode(fetchAllChanges, forKey: "all")
  }

  func decodeRequest(from coder: NSCoder) {
    previousServerChangeToken = coder.object(CKServerChangeToken.self, "token")
    resultsLimit = coder.decodeInteger(forKey: "limit")
    fetchAllChanges = coder.decodeBool(forKey: "all")
  }
}

extension CKFetchRecordZoneChangesOperation: LongLivedOperation {
  func encodeRequest(with coder: NSCoder) {
    let zones = recordZoneIDs ?? []
    let configurations = zones.map { configurationsByRecordZoneID?[$0] ?? ZoneConfiguration() }
    coder.encode(NSArray(array: zones), forKey: "zones")
    coder.encode(NSArray(array: configurations), forKey: "configurations")
    coder.encode(fetchAllChanges, forKey: "all")
  }

  func decodeRequest(from coder: NSCoder) {
    let zones = coder.objects(CKRecordZone.ID.self, "zones")
    recordZoneIDs = zones
    configurationsByRecordZoneID = Dictionary(
      zip(zones, coder.objects(ZoneConfiguration.self, "configurations"))
    ) { first, _ in first }
    fetchAllChanges = coder.decodeBool(forKey: "all")
  }
}

extension CKModifySubscriptionsOperation: LongLivedOperation {
  func encodeRequest(with coder: NSCoder) {
    coder.encode(NSArray(array: subscriptionsToSave ?? []), forKey: "saves")
    coder.encodeTexts(subscriptionIDsToDelete ?? [], "deletes")
  }

  func decodeRequest(from coder: NSCoder) {
    subscriptionsToSave = coder.objects(CKSubscription.self, "saves")
    subscriptionIDsToDelete = coder.texts("deletes")
  }
}

extension CKFetchSubscriptionsOperation: LongLivedOperation {
  func encodeRequest(with coder: NSCoder) {
    coder.encodeTexts(subscriptionIDs ?? [], "ids")
    coder.encode(fetchesAll, forKey: "all")
  }

  func decodeRequest(from coder: NSCoder) {
    subscriptionIDs = coder.texts("ids")
    fetchesAll = coder.decodeBool(forKey: "all")
  }
}

extension NSCoder {
  /// Nil and an empty list mean different things.
  fileprivate func encodeKeys(_ keys: [CKRecord.FieldKey]?) {
    encode(keys != nil, forKey: "hasDesiredKeys")
    encodeTexts(keys ?? [], "desiredKeys")
  }

  fileprivate var desiredKeys: [CKRecord.FieldKey]? {
    decodeBool(forKey: "hasDesiredKeys") ? texts("desiredKeys") : nil
  }
}
