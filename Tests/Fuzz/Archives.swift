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
    Target("archive", longest: 512) { bytes in
      guard case .object(let object)? = try? JSON(parsing: bytes),
        let made = Archived.made(object)
      else { return }
      let read = try? NSKeyedUnarchiver.unarchivedObject(
        ofClasses: [made.type], from: made.object.data)
      guard let object = read as? any (NSObject & NSSecureCoding) else { return }
      _ = (object.description, object.hash)
      let again = try? NSKeyedArchiver.archivedData(
        withRootObject: object, requiringSecureCoding: true)
      if again == nil { wrong("what was read of an archive cannot be archived") }
    },
  ]
}

/// An object that is archived under the keys of one of the module's classes, with values of the kinds that stand there.
class Archived: NSObject, NSCoding {
  indirect enum Form: Sendable { case text, number, date, flag, values, texts, object(String) }
  struct Kind: Sendable {
    let type: NSObject.Type
    /// Foundation on Linux archives top-level classes only, each under its own name.
    let standIn: Archived.Type
    let forms: [String: Form]
  }
  private static let kinds: [String: Kind] = [
    "record": Kind(
      type: CKRecord.self, standIn: ArchivedRecord.self,
      forms: [
        "recordType": .text, "recordID": .object("id"), "recordChangeTag": .text,
        "creationDate": .date, "modificationDate": .date, "creatorUserRecordID": .object("id"),
        "lastModifiedUserRecordID": .object("id"), "me": .text, "share": .object("reference"),
        "parent": .object("reference"), "fields": .values, "originals": .values,
        "encryptedKeys": .texts, "changedKeys": .texts, "parentChanged": .flag,
      ]),
    "id": Kind(
      type: CKRecord.ID.self, standIn: ArchivedID.self,
      forms: ["recordName": .text, "zoneID": .object("zone")]),
    "zone": Kind(
      type: CKRecordZone.ID.self, standIn: ArchivedZone.self,
      forms: ["zoneName": .text, "ownerName": .text]),
    "reference": Kind(
      type: CKRecord.Reference.self, standIn: ArchivedPointer.self,
      forms: ["recordID": .object("id"), "action": .number]),
    "token": Kind(
      type: CKServerChangeToken.self, standIn: ArchivedToken.self, forms: ["token": .text]),
    "asset": Kind(
      type: CKAsset.self, standIn: ArchivedFile.self,
      forms: ["path": .text, "checksum": .text, "imported": .text, "size": .number]),
  ]
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
      switch (form, member.value) {
      case (.text, let value): coder.encode(Self.text(value), forKey: member.key)
      case (.number, let value): coder.encode(Int(value.int ?? 0), forKey: member.key)
      case (.date, let value): coder.encode(value.double ?? 0, forKey: member.key)
      case (.flag, let value): coder.encode(value == true, forKey: member.key)
      case (.texts, let value):
        coder.encode(NSArray(array: (value.array ?? []).map(Self.text)), forKey: member.key)
      case (.values, .object(let object)): coder.encode(Self.values(object), forKey: member.key)
      case (.object(let name), .object(let object)):
        if let kind = Self.kinds[name] {
          coder.encode(kind.standIn.init(object, as: kind), forKey: member.key)
        }
      case (.values, _), (.object, _): break
      }
    }
  }

  private static func text(_ value: JSON) -> NSString { NSString(string: value.string ?? "") }

  private static func values(_ object: JSONObject) -> NSDictionary {
    NSDictionary(
      objects: object.members.map { value($0.value) },
      forKeys: object.members.map { NSString(string: $0.key) })
  }

  private static func value(_ value: JSON) -> Any {
    switch value {
    case .null: NSData(bytes: [1, 2], length: 2)
    case .bool(let flag): NSNumber(value: flag)
    case .int(let number): NSNumber(value: number)
    case .double(let number): NSDate(timeIntervalSinceReferenceDate: number)
    case .string(let text): NSString(string: text)
    case .array(let elements): NSArray(array: elements.map { Self.value($0) })
    case .object(let object):
      if let made = made(object) { made.object } else { values(object) }
    }
  }
}

final class ArchivedRecord: Archived {}
final class ArchivedID: Archived {}
final class ArchivedZone: Archived {}
final class ArchivedPointer: Archived {}
final class ArchivedToken: Archived {}
final class ArchivedFile: Archived {}
