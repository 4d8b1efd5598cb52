// Any bytes give a value or an error, never a crash (architecture, invariant 7). Seeds are fixed, so
// a failure repeats.

import BrumeModel
import BrumeTestKit
import BrumeWire
import Testing

/// Runs every reader of this target on a value; what they think of it does not matter.
private func readEverything(_ json: JSON) {
  _ = try? ModifyRecordsRequest(json: json)
  _ = try? AssetImportRequest(json: json)
  _ = try? Wire.assetExports(json)
  _ = try? LookupRecordsRequest(json: json)
  _ = try? QueryRequest(json: json)
  _ = try? FeedRequest(json: json)
  _ = try? TokenRequest(json: json)
  _ = try? Record(json: json)
  _ = try? Wire.zoneLookup(json)
  _ = try? ModifyZonesRequest(json: json)
  _ = try? Wire.zoneChangesRequests(json)
  _ = try? Wire.recordChangesRequest(json)
  _ = try? Wire.subscriptionLookup(json)
  _ = try? ModifySubscriptionsRequest(json: json)
  _ = try? Wire.shortGUIDs(json)
  _ = try? Wire.lookupInfos(json)
  _ = try? Wire.notificationIDs(json)
  _ = try? Wire.badge(json)
  _ = try? Wire.recordResults(json)
  _ = try? Wire.queryPage(json)
  _ = try? Wire.zoneResults(json)
  _ = try? Wire.zoneChanges(json)
  _ = try? Wire.databaseChanges(json)
  _ = try? Wire.subscriptionResults(json)
  _ = try? Wire.identity(json)
  _ = try? Wire.users(json)
  _ = try? Wire.shareResults(json)
  _ = try? Wire.keptNotifications(json)
  _ = try? Wire.restore(json)
  _ = try? Wire.backup(json)
  _ = try? OperatorView(json: json)
  _ = try? ListRequest(json: json)
  _ = try? PermissionQuestion(json: json)
  _ = try? Trace(json: json)
  _ = try? PushPayload.decode(json)
  _ = Wire.error(json)
  _ = Wire.wantsNumbersAsStrings(json)
}

private func messages() -> [[UInt8]] {
  var push = Notification(
    id: "n", in: ContainerEnvironment(ContainerID("iCloud.a.b"), .production), scope: .public,
    subscriptionID: "s", user: Sample.owner,
    subject: .query(
      zone: Sample.zone, recordName: "r", reason: .updated, fields: ["a": .double(1)]))
  push.alert = .init(literal: "hi")
  let draft = RecordDraft(
    name: "a", type: "T", fields: ["f": DraftField(.list([.int64(1)], of: .int64))],
    participants: Sample.participants)
  return [
    RecordCoder.wire.encode(Sample.record), RecordCoder.wire.encode(Sample.share),
    ModifyRecordsRequest(zone: Sample.zone, operations: [RecordOperation(.create, draft)]).bytes(),
    QueryRequest(query: Sample.query, limit: 3).bytes(),
    Wire.subscriptions(Sample.subscriptions),
    Wire.zoneChanges([
      .success(
        ZoneChangesPage(
          zone: Sample.zone,
          changes: [
            .changed(Sample.stored(Sample.record)), .deleted(name: "x", type: "T", sequence: 1),
          ],
          token: "t", moreComing: true))
    ]),
    Wire.zones([ZoneState(zone: Sample.zone, isAtomic: true, deletion: .purged)]),
    PushPayload.encode(push), Wire.error(BrumeError(.conflict, "r"), uuid: "u"),
    Wire.restore(
      RestoreReport(
        obstacle: nil, restarts: true, status: RestoreStatus(id: "a", step: .ready(Sample.backup)),
        restored: Sample.backup)),
  ]
}

struct TotalityTests {
  @Test func `random bytes never crash the parser`() {
    var random = SeededRandom(seed: 3)
    let alphabet = Array("{}[]\",:\\u0123456789abcdeE+-.tfnrl \n".utf8) + [0, 0xc3, 0xa9, 0xff]
    for round in 0..<60_000 {
      let count = Int.random(in: 0...40, using: &random)
      let bytes = (0..<count).map { _ in
        round % 2 == 0
          ? UInt8.random(in: 0...255, using: &random) : alphabet.randomElement(using: &random) ?? 0
      }
      if let json = try? JSON(parsing: bytes) { readEverything(json) }
      _ = PushPayload.courier(fromPayload: bytes)
      _ = try? Wire.subscription(bytes)
      _ = try? RecordCoder.wire.decode(bytes)
    }
  }

  @Test func `damaged messages never crash a reader`() {
    var random = SeededRandom(seed: 4)
    let originals = messages()
    for _ in 0..<30_000 {
      guard var bytes = originals.randomElement(using: &random) else { continue }
      for _ in 0..<Int.random(in: 1...3, using: &random) { damage(&bytes, using: &random) }
      if let json = try? JSON(parsing: bytes) { readEverything(json) }
    }
  }

  @Test func `messages with values of the wrong kind never crash a reader`() throws {
    var random = SeededRandom(seed: 5)
    let originals = try messages().map { try JSON(parsing: $0) }
    for _ in 0..<20_000 {
      guard let original = originals.randomElement(using: &random) else { continue }
      readEverything(altered(original, using: &random))
    }
  }

  @Test func `what the parser takes, the writer gives back`() throws {
    var random = SeededRandom(seed: 6)
    for message in messages() {
      let value = altered(try JSON(parsing: message), using: &random)
      #expect(try JSON(parsing: value.bytes()) == value)
    }
  }

  private func damage(_ bytes: inout [UInt8], using random: inout SeededRandom) {
    let at = Int.random(in: 0..<max(bytes.count, 1), using: &random)
    guard at < bytes.count else { return }
    switch Int.random(in: 0...3, using: &random) {
    case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
    case 1: bytes.remove(at: at)
    case 2: bytes.insert(contentsOf: bytes[at..<min(at + 8, bytes.count)], at: at)
    default: bytes.removeLast(min(bytes.count - at, 200))
    }
  }

  private func altered(_ json: JSON, using random: inout SeededRandom) -> JSON {
    let strangers: [JSON] = [
      .null, true, 0, -1, .int(.max), .int(.min), 1.5, 1e300, "", "STRING", "_", [], [[]], [:],
      ["value": 1], ["recordName": "r"],
    ]
    if Int.random(in: 0..<12, using: &random) == 0 {
      return strangers.randomElement(using: &random) ?? .null
    }
    switch json {
    case .null, .bool, .int, .double, .string: return json
    case .array(let elements): return .array(elements.map { altered($0, using: &random) })
    case .object(let object):
      var changed = JSONObject()
      for member in object.members { changed[member.key] = altered(member.value, using: &random) }
      return .object(changed)
    }
  }
}
