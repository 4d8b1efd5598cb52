// Values that the tests of this target share, and random ones.

import BrumeModel
import BrumeTestKit
import BrumeWire

enum Sample {
  static let owner = UserID("_5d1f0c8e7a5d1f0c8e7a5d1f0c8e7a5d")
  static let guest = UserID("_77aa0c8e7a5d1f0c8e7a5d1f0c8e7a5d")
  static let zone = ZoneID(name: "Trails", ownerName: owner.name)

  static let backup = BackupSummary(
    id: "B", made: 1_700_000_000_000, rows: 12, assets: 3, bytes: 4096, missing: 1)

  static var record: Record {
    Record(
      name: "H-100", zone: zone, type: "Hike", changeTag: "1e",
      fields: [
        "title": .string("Ridge loop"), "km": .double(12.5),
        "walked": .timestamp(1_795_213_861_000),
        "tags": .list([.string("alps"), .string("summer")], of: .string),
        "start": .location(Location(latitude: 47.1, longitude: 11.4)),
        "area": .reference(Reference(recordName: "A-7", zone: zone, action: .deleteSelf)),
      ],
      created: Stamp(time: 1_795_213_800_000, user: owner, device: "1"),
      modified: Stamp(time: 1_795_213_861_917, user: owner, device: "1"))
  }

  static var participants: [Participant] {
    [
      Participant(
        id: "p1", role: .owner, permission: .readWrite, acceptance: .accepted,
        identity: UserIdentity(user: owner, givenName: "Ada", emailAddress: "ada@example.org")),
      Participant(
        id: "p2", role: .privateUser, permission: .readOnly, acceptance: .invited,
        identity: UserIdentity(user: guest, phoneNumber: "+4366012345")),
    ]
  }

  static var share: Record {
    Record(
      name: "Share-5C0F", zone: zone, type: Record.shareType, changeTag: "3",
      fields: ["cloudkit.title": .string("North area")], shortGUID: "0c1Wq",
      shareDetails: Share(
        publicPermission: .readOnly, participants: participants, rootRecordName: "A-7"))
  }

  static var query: Query {
    Query(
      recordType: "Hike",
      filters: [
        Filter(.greaterThan, .field("km"), .double(10)),
        Filter(
          .equals, .system(.createdUserRecordName), .reference(Reference(recordName: owner.name))),
        Filter(.in, .field("tags"), .list([.string("alps")], of: .string)),
        Filter(
          .near, .field("start"), .location(Location(latitude: 47, longitude: 11)), distance: 500),
        Filter(.containsAllTokens, nil, .string("ridge lake")),
      ],
      sorts: [
        Sort(.field("km"), ascending: false),
        Sort(.field("start"), relativeLocation: Location(latitude: 47.2, longitude: 11.3)),
      ])
  }

  static var notificationInfo: NotificationInfo {
    var info = NotificationInfo()
    info.alert = .init(literal: "body", localizationKey: "KEY", localizationArgs: ["title", "km"])
    info.title = .init(literal: "title", localizationKey: "TITLE", localizationArgs: ["title"])
    info.subtitle = .init(literal: "sub", localizationKey: "SUB", localizationArgs: ["km"])
    info.alertActionLocalizationKey = "OPEN"
    info.alertLaunchImage = "launch.png"
    info.soundName = "default"
    info.category = "hike"
    info.collapseIDKey = "title"
    info.shouldBadge = true
    info.shouldSendContentAvailable = true
    info.shouldSendMutableContent = true
    info.desiredKeys = ["title", "km"]
    return info
  }

  static var subscriptions: [Subscription] {
    [
      Subscription(
        id: "long-hikes",
        kind: .query(query, zone: zone, firesOn: [.create, .delete], firesOnce: true),
        info: notificationInfo),
      Subscription(
        id: "everywhere",
        kind: .query(Query(recordType: "Hike"), zone: nil, firesOn: [.update], firesOnce: false),
        info: nil),
      Subscription(id: "zone", kind: .zone(zone, recordType: "Hike"), info: NotificationInfo()),
      Subscription(id: "all", kind: .database(recordType: nil), info: notificationInfo),
      Subscription(id: "areas", kind: .database(recordType: "Area"), info: nil),
    ]
  }

  static func stored(_ record: Record) -> StoredRecord {
    StoredRecord(
      name: record.name, type: record.type, sequence: 50,
      content: .encoded(RecordCoder.wire.encode(record), .wire))
  }
}

extension [UInt8] {
  var text: String { String(decoding: self, as: UTF8.self) }
}

func parse(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

/// A record with fields of every type, hard values among them.
func randomRecord(using random: inout SeededRandom) -> Record {
  var record = Sample.record
  record.name = "R-\(UInt16.random(in: 0...999, using: &random))"
  record.fields = [:]
  for index in 0..<Int.random(in: 0...12, using: &random) {
    let name = "f\(index)"
    record.fields[name] = randomValue(using: &random)
    if Bool.random(using: &random) { record.encryptedFields.insert(name) }
  }
  if Bool.random(using: &random) { record.parent = "P-1" }
  if Bool.random(using: &random) { record.share = "Share-1" }
  return record
}

private func randomValue(using random: inout SeededRandom) -> FieldValue {
  let element = FieldType.scalars.randomElement(using: &random) ?? .string
  guard Bool.random(using: &random) else { return randomScalar(element, using: &random) }
  let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in
    randomScalar(element, using: &random)
  }
  return .list(values, of: element)
}

private func randomScalar(
  _ type: FieldType, using random: inout SeededRandom
) -> FieldValue {
  let texts = ["", "plain", "\"\\\n\t\u{1}\u{7f}", "e\u{301}", "é", "😀\u{2028}", "日本語", "a/b"]
  let integers: [Int64] = [0, -1, .max, .min, 1 << 53 + 1, 42]
  let doubles: [Double] = [
    0, -0.0, 0.1, 1e300, .leastNonzeroMagnitude, -1.5, 0x1p60, .pi, 1e22, 123456789.123,
  ]
  switch type {
  case .string: return .string(texts.randomElement(using: &random) ?? "")
  case .int64: return .int64(integers.randomElement(using: &random) ?? 0)
  case .double: return .double(doubles.randomElement(using: &random) ?? 0)
  case .bytes:
    let count = Int.random(in: 0...9, using: &random)
    return .bytes((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
  case .timestamp: return .timestamp(integers.randomElement(using: &random) ?? 0)
  case .location:
    return .location(
      Location(
        latitude: doubles.randomElement(using: &random) ?? 0, longitude: -180, altitude: -1,
        timestamp: -62_135_596_800_000))
  case .reference: return .reference(Reference(recordName: "T", action: .validate))
  case .asset: return .asset(Asset(fileChecksum: "AVo3", size: 48213))
  case .list: return .int64(0)
  }
}
