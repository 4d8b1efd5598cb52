// What an app reads back: archives of the module's classes, and the kept state of a sync engine.
//
// Bytes as such are Foundation's to read, which stops the program for many. So an archive is made here whose
// structure is whole, and whose values are what the input says: a JSON object with a member `class`, its values
// under the keys of that class.

import BrumeKit
import BrumeModel
import BrumeWire
import Foundation

extension Target {
  static let archives = [
    Target("state", longest: 1024) { bytes in
      let type = CKSyncEngine.State.Serialization.self
      guard let state = try? JSONDecoder().decode(type, from: Data(bytes)) else { return }
      guard let written = try? JSONEncoder().encode(state),
        (try? JSONDecoder().decode(type, from: written)) != nil
      else { wrong("the state of a sync engine is not what was written") }
    },
    Target("archive", longest: 1024) { bytes in
      guard case .object(let object)? = try? JSON(parsing: bytes),
        let made = Archived.made(object)
      else { return }
      if made.type == CKLocationSortDescriptor.self { return Target.readOrder(made.object) }
      let read = try? NSKeyedUnarchiver.unarchivedObject(
        ofClasses: [made.type], from: made.object.data)
      guard let object = read as? any (NSObject & NSSecureCoding) else { return }
      Target.use(object)
      let again = try? NSKeyedArchiver.archivedData(
        withRootObject: object, requiringSecureCoding: true)
      if again == nil { wrong("what was read of an archive cannot be archived") }
    },
  ]

  /// What an app does with what it read, as far as it may stop nothing.
  private static func use(_ object: any NSObject & NSSecureCoding) {
    _ = (object.description, object.hash, object.isEqual(object))
    _ = (object as? any NSCopying)?.copy(with: nil)
    switch object {
    case let record as CKRecord:
      let other = CKRecord(recordType: "Note")
      other.parent = record.parent
      _ = (record.allKeys(), record.allTokens(), "\(record.creationDate as Any)")
      // Here the record becomes what a server keeps.
      _ = NSPredicate(format: "a == 1").evaluate(with: record)
    case let subscription as CKSubscription: _ = subscription.subscriptionType
    default: break
    }
  }

  /// An order of results is no object of an archive on Linux: it reads what stands under its keys.
  private static func readOrder(_ archived: Archived) {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archived.encode(with: archiver)
    guard let coder = try? NSKeyedUnarchiver(forReadingFrom: archiver.encodedData) else { return }
    coder.decodingFailurePolicy = .setErrorAndReturn
    let order = CKLocationSortDescriptor(coder: coder)
    order.encode(with: NSKeyedArchiver(requiringSecureCoding: true))
  }
}

/// An object that is archived under the keys of one of the module's classes, with values of the kinds that stand there.
class Archived: NSObject, NSCoding {
  enum Form: Sendable {
    case text, number, real, flag, values, texts, set, bytes, moment, url
    case object(String), objects(String)
  }
  struct Kind: Sendable {
    let type: NSObject.Type
    /// Foundation on Linux archives top-level classes only, each under its own name.
    let standIn: Archived.Type
    let forms: [String: Form]
  }
  private static let kinds: [String: Kind] = [
    recordKinds, shareKinds, userKinds, queryKinds, changeKinds, subscriptionKinds,
  ].reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }

  /// Our keys and, where they are read too, those of Apple's archives.
  private static let recordKinds: [String: Kind] = [
    "record": Kind(
      type: CKRecord.self, standIn: ArchivedRecord.self, forms: recordForms.and(appleForms)),
    "values": Kind(
      type: AppleRecordValues.self, standIn: ArchivedValues.self,
      forms: ["RecordValues": .values, "OriginalValues": .values, "ChangedKeys": .set]),
    "id": Kind(
      type: CKRecord.ID.self, standIn: ArchivedID.self,
      forms: [
        "recordName": .text, "zoneID": .object("zone"), "RecordName": .text,
        "ZoneID": .object("zone"),
      ]),
    "zone": Kind(
      type: CKRecordZone.ID.self, standIn: ArchivedZone.self,
      forms: ["zoneName": .text, "ownerName": .text, "ZoneName": .text]),
    "recordZone": Kind(
      type: CKRecordZone.self, standIn: ArchivedRecordZone.self,
      forms: [
        "zoneID": .object("zone"), "capabilities": .number, "share": .object("reference"),
        "encryption": .number, "ZoneID": .object("zone"), "Capabilities": .number,
        "ShareReference": .object("reference"),
      ]),
    "reference": Kind(
      type: CKRecord.Reference.self, standIn: ArchivedPointer.self,
      forms: [
        "recordID": .object("id"), "action": .number, "RecordID": .object("id"),
        "ReferenceAction": .number,
      ]),
    "asset": Kind(
      type: CKAsset.self, standIn: ArchivedFile.self,
      forms: [
        "path": .text, "checksum": .text, "imported": .text, "size": .number,
        "isWithoutFile": .flag, "AssetFileURL": .url,
      ]),
    "place": Kind(type: CLLocation.self, standIn: ArchivedSpot.self, forms: placeForms),
  ]

  private static let shareKinds: [String: Kind] = [
    "share": Kind(
      type: CKShare.self, standIn: ArchivedShare.self,
      forms: recordForms.and(appleForms).and(shareForms)),
    "participant": Kind(
      type: CKShare.Participant.self, standIn: ArchivedGuest.self,
      forms: [
        "participantID": .text, "userIdentity": .object("identity"), "role": .number,
        "permission": .number, "acceptance": .number, "dateAdded": .real,
        "isApprovedRequester": .flag, "oneTimeToken": .text, "ParticipantID": .text,
        "UserIdentity": .object("identity"), "Type": .number, "Permission": .number,
        "AcceptanceStatus": .number, "IsCurrentUser": .flag,
      ]),
    "requester": Kind(
      type: CKShare.AccessRequester.self, standIn: ArchivedRequester.self,
      forms: ["userIdentity": .object("identity")]),
    "blocked": Kind(
      type: CKShare.BlockedIdentity.self, standIn: ArchivedBlocked.self,
      forms: ["userIdentity": .object("identity")]),
    "metadata": Kind(
      type: CKShare.Metadata.self, standIn: ArchivedMetadata.self,
      forms: [
        "container": .text, "shortGUID": .text, "share": .object("share"),
        "owner": .object("identity"), "rootRecordID": .object("id"),
        "rootRecord": .object("record"), "role": .number, "status": .number,
        "permission": .number, "ContainerID": .object("container"), "Share": .object("share"),
        "OwnerIdentity": .object("identity"), "RootRecordID": .object("id"),
        "RootRecord": .object("record"), "ParticipantType": .number,
        "ParticipantStatus": .number, "ParticipantPermission": .number,
      ]),
    "container": Kind(
      type: AppleContainerID.self, standIn: ArchivedContainer.self,
      forms: ["ContainerIdentifier": .text]),
    "options": Kind(
      type: CKAllowedSharingOptions.self, standIn: ArchivedOptions.self,
      forms: [
        "permissions": .number, "access": .number, "invites": .flag, "accessRequests": .flag,
      ]),
  ]

  private static let userKinds: [String: Kind] = [
    "identity": Kind(
      type: CKUserIdentity.self, standIn: ArchivedIdentity.self,
      forms: [
        "lookupInfo": .object("lookup"), "givenName": .text, "familyName": .text,
        "userRecordID": .object("id"), "LookupInfo": .object("lookup"),
        "UserRecordID": .object("id"),
      ]),
    "lookup": Kind(
      type: CKUserIdentity.LookupInfo.self, standIn: ArchivedLookup.self,
      forms: [
        "emailAddress": .text, "phoneNumber": .text, "userRecordID": .object("id"),
        "EmailAddress": .text, "PhoneNumber": .text, "RecordID": .object("id"),
      ]),
  ]

  private static let queryKinds: [String: Kind] = [
    "query": Kind(type: CKQuery.self, standIn: ArchivedQuery.self, forms: ["query": .bytes]),
    "cursor": Kind(
      type: CKQueryOperation.Cursor.self, standIn: ArchivedCursor.self,
      forms: ["query": .bytes, "CursorData": .bytes]),
    "order": Kind(
      type: CKLocationSortDescriptor.self, standIn: ArchivedOrder.self,
      forms: ["key": .text, "relativeLocation": .object("place")]),
    "group": Kind(
      type: CKOperationGroup.self, standIn: ArchivedGroup.self,
      forms: [
        "operationGroupID": .text, "name": .text, "quantity": .number, "sending": .number,
        "receiving": .number, "qualityOfService": .number, "allowsCellularAccess": .flag,
        "isLongLived": .flag, "timeoutIntervalForRequest": .real,
        "timeoutIntervalForResource": .real,
      ]),
  ]

  private static let changeKinds: [String: Kind] = [
    "token": Kind(
      type: CKServerChangeToken.self, standIn: ArchivedToken.self,
      forms: ["token": .text, "ChangeTokenData": .bytes]),
    "zoneOptions": Kind(
      type: (DeprecatedKinds.self as any OldKinds.Type).zoneOptions,
      standIn: ArchivedOldOptions.self, forms: zoneForms),
    "zoneConfiguration": Kind(
      type: CKFetchRecordZoneChangesOperation.ZoneConfiguration.self,
      standIn: ArchivedConfiguration.self, forms: zoneForms),
    "notification": Kind(
      type: CKNotification.ID.self, standIn: ArchivedNotice.self,
      forms: ["notification": .text, "subscription": .text]),
  ]

  private static let subscriptionKinds: [String: Kind] = [
    "subscription": Kind(
      type: CKSubscription.self, standIn: ArchivedSubscription.self, forms: subscriptionForms),
    "querySubscription": Kind(
      type: CKQuerySubscription.self, standIn: ArchivedQuerySubscription.self,
      forms: subscriptionForms),
    "zoneSubscription": Kind(
      type: CKRecordZoneSubscription.self, standIn: ArchivedZoneSubscription.self,
      forms: subscriptionForms),
    "databaseSubscription": Kind(
      type: CKDatabaseSubscription.self, standIn: ArchivedDatabaseSubscription.self,
      forms: subscriptionForms),
    "info": Kind(
      type: CKSubscription.NotificationInfo.self, standIn: ArchivedInfo.self, forms: infoForms),
  ]

  private static let recordForms: [String: Form] = [
    "recordType": .text, "recordID": .object("id"), "recordChangeTag": .text,
    "creationDate": .real, "modificationDate": .real, "creatorUserRecordID": .object("id"),
    "lastModifiedUserRecordID": .object("id"), "me": .text, "share": .object("reference"),
    "parent": .object("reference"), "fields": .values, "originals": .values,
    "encryptedKeys": .texts, "changedKeys": .texts, "parentChanged": .flag,
    "originalParent": .object("reference"),
  ]
  private static let appleForms: [String: Form] = [
    "RecordType": .text, "RecordID": .object("id"), "ETag": .text, "RecordCtime": .moment,
    "RecordMtime": .moment, "CreatorUserRecordID": .object("id"),
    "LastModifiedUserRecordID": .object("id"), "ShareReference": .object("reference"),
    "ParentReference": .object("reference"), "HasUpdatedParentReference": .flag,
    "ValueStore": .object("values"), "EncryptedValueStore": .object("values"),
  ]
  private static let shareForms: [String: Form] = [
    "rootName": .text, "address": .text, "participants": .objects("participant"),
    "allowsAccessRequests": .flag, "requesters": .objects("requester"),
    "blocked": .objects("blocked"), "accessChanged": .flag, "publicPermission": .number,
    "unchanged": .bytes, "RootRecordID": .object("id"), "URL": .url,
    "Participants": .objects("participant"), "PublicPermission": .number,
  ]
  private static let zoneForms: [String: Form] = [
    "token": .object("token"), "resultsLimit": .number, "hasDesiredKeys": .flag,
    "desiredKeys": .texts,
  ]
  private static let subscriptionForms: [String: Form] = [
    "subscriptionID": .text, "recordType": .text, "notificationInfo": .object("info"),
    "zoneID": .object("zone"), "options": .number, "query": .bytes,
    "watchedZoneID": .object("zone"),
  ]
  private static let infoForms: [String: Form] = [
    "alertBody": .text, "alertLocalizationKey": .text, "title": .text,
    "titleLocalizationKey": .text, "subtitle": .text, "subtitleLocalizationKey": .text,
    "alertActionLocalizationKey": .text, "alertLaunchImage": .text, "soundName": .text,
    "category": .text, "collapseIDKey": .text, "alertLocalizationArgs": .texts,
    "titleLocalizationArgs": .texts, "subtitleLocalizationArgs": .texts, "desiredKeys": .texts,
    "shouldBadge": .flag, "shouldSendContentAvailable": .flag, "shouldSendMutableContent": .flag,
  ]
  private static let placeForms: [String: Form] = [
    "latitude": .real, "longitude": .real, "altitude": .real, "horizontalAccuracy": .real,
    "verticalAccuracy": .real, "course": .real, "speed": .real, "timestamp": .real,
    "kCLLocationCodingKeyCoordinateLatitude": .real,
    "kCLLocationCodingKeyCoordinateLongitude": .real, "kCLLocationCodingKeyAltitude": .real,
    "kCLLocationCodingKeyHorizontalAccuracy": .real,
    "kCLLocationCodingKeyVerticalAccuracy": .real, "kCLLocationCodingKeyCourse": .real,
    "kCLLocationCodingKeySpeed": .real, "kCLLocationCodingKeyTimestamp": .real,
  ]

  /// What may stand in a field. Foundation stops the program for any other class.
  private static let fieldKinds: Set = ["id", "zone", "reference", "asset", "place"]
  /// What Foundation on Linux writes for nothing; as a text it stops the program.
  private static let nothing = "$null"
  /// The names of the stand-ins, read as the classes that they stand for.
  private static let registered: Void = {
    for kind in kinds.values {
      NSKeyedUnarchiver.setClass(kind.type, forClassName: NSStringFromClass(kind.standIn))
    }
  }()

  private let object: JSONObject
  private let kind: Kind

  required init(_ object: JSONObject, as kind: Kind) { (self.object, self.kind) = (object, kind) }
  required init?(coder: NSCoder) { nil }

  /// Nil for a class that is not one of these.
  static func made(_ object: JSONObject) -> (type: NSObject.Type, object: Archived)? {
    _ = registered
    guard let kind = object["class"]?.string.flatMap({ kinds[$0] }) else { return nil }
    return (kind.type, kind.standIn.init(object, as: kind))
  }

  var data: Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(self, forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    return archiver.encodedData
  }

  func encode(with coder: NSCoder) {
    for member in object.members {
      guard let form = kind.forms[member.key] else { continue }
      let (key, value) = (member.key, member.value)
      switch form {
      case .number: coder.encode(Int(value.int ?? 0), forKey: key)
      case .real: coder.encode(Self.real(value), forKey: key)
      case .flag: coder.encode(value == true, forKey: key)
      case .text, .values, .texts, .set, .bytes, .moment, .url, .object, .objects:
        if let made = Self.made(value, form) { coder.encode(made, forKey: key) }
      }
    }
  }

  /// Nil: it has another form.
  private static func made(_ value: JSON, _ form: Form) -> NSObject? {
    switch form {
    case .text: text(value)
    case .texts: NSArray(array: (value.array ?? []).map(Self.text))
    case .set: NSSet(array: (value.array ?? []).map(Self.text))
    case .bytes: NSData(data: Data(value.bytes()))
    case .moment: NSDate(timeIntervalSinceReferenceDate: real(value))
    case .url: NSURL(string: text(value).description)
    case .values: value.object.map(Self.values)
    case .object(let name): value.object.flatMap { part($0, name) }
    case .objects(let name):
      NSArray(array: (value.array ?? []).compactMap { $0.object.flatMap { member($0, name) } })
    case .number, .real, .flag: nil
    }
  }

  private static func part(_ object: JSONObject, _ name: String) -> Archived? {
    kinds[name].map { $0.standIn.init(object, as: $0) }
  }

  /// One that a collection holds. Foundation on Linux stops the program when a member of a collection is refused, so those
  /// that are refused by themselves stay outside.
  private static func member(_ object: JSONObject, _ name: String) -> Archived? {
    guard let kind = kinds[name], let made = part(object, name) else { return nil }
    let read = try? NSKeyedUnarchiver.unarchivedObject(ofClasses: [kind.type], from: made.data)
    return read as? NSObject == nil ? nil : made
  }

  private static func text(_ value: JSON) -> NSString {
    NSString(string: value.string == nothing ? "" : value.string ?? "")
  }

  /// JSON has neither infinity nor what is no number: they are texts.
  private static func real(_ value: JSON) -> Double {
    value.double ?? value.string.flatMap { Double($0) } ?? 0
  }

  private static func values(_ object: JSONObject) -> NSDictionary { values(object, 0) }

  private static func values(_ object: JSONObject, _ depth: Int) -> NSDictionary {
    NSDictionary(
      objects: object.members.map { value($0.value, depth) },
      forKeys: object.members.map { text(.string($0.key)) })
  }

  /// Ours: at most six lists in each other; Foundation takes ever longer to archive more.
  private static func value(_ value: JSON, _ depth: Int) -> Any {
    switch value {
    case _ where depth > 6: NSData()
    case .null: NSData(bytes: [1, 2], length: 2)
    case .bool(let flag): NSNumber(value: flag)
    case .int(let number): NSNumber(value: number)
    case .double(let number): NSDate(timeIntervalSinceReferenceDate: number)
    case .string: text(value)
    case .array(let elements): NSArray(array: elements.map { Self.value($0, depth + 1) })
    case .object(let object):
      if let name = object["class"]?.string, fieldKinds.contains(name),
        let made = member(object, name)
      {
        made
      } else {
        values(object, depth + 1)
      }
    }
  }
}

extension [String: Archived.Form] {
  /// With some more, under other keys.
  fileprivate func and(_ more: Self) -> Self { merging(more) { first, _ in first } }
}

/// The class is deprecated, and named all the same because apps have archives of it.
private protocol OldKinds { static var zoneOptions: NSObject.Type { get } }

private enum DeprecatedKinds: OldKinds {
  @available(*, deprecated)
  static var zoneOptions: NSObject.Type { CKFetchRecordZoneChangesOperation.ZoneOptions.self }
}

final class ArchivedRecord: Archived {}
final class ArchivedValues: Archived {}
final class ArchivedID: Archived {}
final class ArchivedZone: Archived {}
final class ArchivedRecordZone: Archived {}
final class ArchivedPointer: Archived {}
final class ArchivedToken: Archived {}
final class ArchivedFile: Archived {}
final class ArchivedSpot: Archived {}
final class ArchivedNotice: Archived {}
final class ArchivedShare: Archived {}
final class ArchivedGuest: Archived {}
final class ArchivedRequester: Archived {}
final class ArchivedBlocked: Archived {}
final class ArchivedMetadata: Archived {}
final class ArchivedContainer: Archived {}
final class ArchivedOptions: Archived {}
final class ArchivedIdentity: Archived {}
final class ArchivedLookup: Archived {}
final class ArchivedQuery: Archived {}
final class ArchivedCursor: Archived {}
final class ArchivedOrder: Archived {}
final class ArchivedGroup: Archived {}
final class ArchivedOldOptions: Archived {}
final class ArchivedConfiguration: Archived {}
final class ArchivedSubscription: Archived {}
final class ArchivedQuerySubscription: Archived {}
final class ArchivedZoneSubscription: Archived {}
final class ArchivedDatabaseSubscription: Archived {}
final class ArchivedInfo: Archived {}
