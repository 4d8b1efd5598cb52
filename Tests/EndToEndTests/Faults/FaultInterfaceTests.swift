import BrumeKit
import BrumeTesting
import Foundation
import Testing

/// Each fault has the same effect, whichever way it was asked for.
@Suite(.timeLimit(.minutes(10))) struct FaultInterfaceTests {
  /// One fault: how to ask for it, what to do, and what a device sees.
  struct Case: Sendable {
    let name: String
    let request: FaultInterface.Request
    let seen: [String]
    let look: @Sendable (Place) async throws -> [String]

    init(
      _ name: String, _ local: LocalServer.Fault, json: String, _ words: String,
      sees seen: [String],
      _ look: @escaping @Sendable (Place) async throws -> [String]
    ) {
      self.name = name
      request = .init(local: local, json: json, words: words.split(separator: " ").map(String.init))
      self.seen = seen
      self.look = look
    }
  }

  /// Where a case plays: alice's devices, and a zone of its own.
  struct Place: Sendable {
    let interface: FaultInterface
    let request: FaultInterface.Request
    let device: String
    let phone: Device
    let laptop: Device
    let zone: CKRecordZone.ID

    /// Asks for the fault, for the phone alone: pushes go to all devices of a user.
    func begin() async throws { try await interface.add(request.on(device)) }

    func record(_ name: String, _ text: String = "") -> CKRecord {
      let id = CKRecord.ID(recordName: name, zoneID: zone)
      let record = CKRecord(recordType: "Note", recordID: id)
      record["text"] = text
      return record
    }

    func save(_ name: String) async throws { try await phone.database.save(record(name)) }
  }

  @Test(arguments: FaultInterface.Kind.allCases)
  func `every fault has the same effect through each interface`(kind: FaultInterface.Kind)
    async throws
  {
    try await FaultInterface.open(kind) { interface in
      for (number, test) in (Self.calls + Self.zones + Self.accounts + Self.pushes).enumerated() {
        let place = Place(
          interface: interface, request: test.request, device: "phone\(number)-alice",
          phone: try await interface.device("phone\(number)", "alice"),
          laptop: try await interface.device("laptop\(number)", "alice"),
          zone: CKRecordZone.ID(zoneName: "Z\(number)"))
        try await place.laptop.makeZone(place.zone.zoneName)
        let seen = try await test.look(place)
        #expect(seen == test.seen, "\(test.name)")
        try await interface.clear()
      }
    }
  }

  // MARK: Calls

  static let calls = [
    Case(
      "an error for two calls, with the time to wait",
      .throttled(retryAfter: 3, on: .saveRecords).times(2),
      json: #"{"effect":"error","code":7,"retryAfter":3,"on":["saveRecords"],"count":2}"#,
      "error --code 7 --retry-after 3 --on saveRecords --count 2",
      sees: ["requestRateLimited 3.0", "requestRateLimited 3.0", "ok"]
    ) { place in
      try await place.begin()
      return await outcomes(of: 3) { try await place.save("a") }
    },
    Case(
      "an error for one record", .error(.permissionFailure).record("b"),
      json: #"{"effect":"error","code":10,"record":"b"}"#, "error --code 10 --record b",
      sees: ["ok", "permissionFailure"]
    ) { place in
      try await place.begin()
      return [
        await outcome { try await place.save("a") }, await outcome { try await place.save("b") },
      ]
    },
    Case(
      "a quota that is used up", .quotaExceeded,
      json: #"{"effect":"error","code":25,"on":["saveRecords"]}"#,
      "error --code 25 --on saveRecords", sees: ["quotaExceeded", "ok"]
    ) { place in
      try await place.begin()
      return await outcomes(of: 2) { try await place.save("a") }
    },
    // A save whose answer is lost is sent again once, under its name.
    Case(
      "an answer that is lost after the effect", .lostAnswer(on: .saveRecords).always,
      json: #"{"effect":"loseAnswer","on":["saveRecords"],"always":true}"#,
      "loseAnswer --on saveRecords --always", sees: ["serverResponseLost", "there"]
    ) { place in
      try await place.begin()
      let lost = await outcome { try await place.save("a") }
      return [
        lost, try await place.laptop.changes(in: place.zone).changed.isEmpty ? "not" : "there",
      ]
    },
    Case(
      "the second save conflicts", .conflict.skipping(1), json: #"{"effect":"conflict","skip":1}"#,
      "conflict --skip 1", sees: ["serverRecordChanged", "one", "ok"]
    ) { place in
      try await place.begin()
      let record = try await place.phone.database.save(place.record("a", "one"))
      record["text"] = "two"
      do {
        try await place.phone.database.save(record)
        return ["no conflict"]
      } catch let error as CKError {
        let theirs = try #require(error.serverRecord)
        let text = theirs["text"] as? String ?? "-"
        theirs["text"] = "two"
        return [
          "\(error.code)", text,
          await outcome { try await place.phone.database.save(theirs) },
        ]
      }
    },
    Case(
      "a token that has expired", .expiredToken, json: #"{"effect":"expireToken"}"#, "expireToken",
      sees: ["changeTokenExpired", "changeTokenExpired", "ok"]
    ) { place in
      let token = try await place.phone.changes(in: place.zone).token
      try await place.begin()
      return await outcomes(of: 2) {
        _ = try await place.phone.changes(in: place.zone, since: token)
      } + [await outcome { _ = try await place.phone.changes(in: place.zone) }]
    },
  ]

  // MARK: Zones

  static let zones = [
    gone("deleted", .deletedZone, "deleteZone", sees: ["zoneNotFound", "deleted"]),
    gone("purged", .purgedZone, "purgeZone", sees: ["userDeletedZone", "purged"]),
    gone(
      "reset", .encryptedDataReset, "resetZone",
      sees: ["zoneNotFound because of a reset", "encryptedDataReset"]),
    Case(
      "a zone that is reported as saved", .unmadeZone, json: #"{"effect":"pretend"}"#, "pretend",
      sees: ["ok", "zoneNotFound"]
    ) { place in
      let zone = CKRecordZone(zoneName: place.zone.zoneName + "-other")
      try await place.begin()
      return [
        await outcome { try await place.phone.database.save(zone) },
        await outcome { try await place.phone.database.recordZone(for: zone.zoneID) },
      ]
    },
  ]

  /// A zone goes before a save.
  private static func gone(
    _ reason: String, _ local: LocalServer.Fault, _ effect: String, sees seen: [String]
  ) -> Case {
    Case(
      "a zone that is \(reason)", local, json: #"{"effect":"\#(effect)"}"#, effect, sees: seen
    ) { place in
      let token = try await place.laptop.database.databaseChanges(since: nil).changeToken
      try await place.begin()
      let save = await outcome { try await place.save("a") }
      let changes = try await place.laptop.database.databaseChanges(since: token)
      let deletion = changes.deletions.first { $0.zoneID.zoneName == place.zone.zoneName }
      return [save, deletion.map { "\($0.reason)" } ?? "not reported"]
    }
  }

  // MARK: Accounts

  static let accounts = [
    Case(
      "an account that signs out", .signedOut, json: #"{"effect":"signOut"}"#, "signOut",
      sees: ["notAuthenticated", "notAuthenticated", "noAccount", "available"]
    ) { place in
      try await place.begin()
      let calls = await outcomes(of: 2) { try await place.save("a") }
      let status = try await place.phone.container.accountStatus()
      // The other device of the same user is as it was.
      let other = try await place.laptop.container.accountStatus()
      return calls + [status, other].map { "\($0)" }
    },
    Case(
      "an account that switches", .switchedAccount(to: "bob"),
      json: #"{"effect":"switchAccount","to":"bob"}"#, "switchAccount --to bob",
      sees: ["notAuthenticated", "it is bob", "zoneNotFound"]
    ) { place in
      let bob = try await place.interface.device("tablet", "bob").container.userRecordID()
      try await place.begin()
      let first = await outcome { try await place.save("a") }
      let isBob = try await place.phone.container.userRecordID() == bob
      return [
        first, isBob ? "it is bob" : "it is not", await outcome { try await place.save("a") },
      ]
    },
  ]

  // MARK: Pushes

  static let pushes = [
    push("lost", .droppedPush, "dropPush", sees: ["b", "end"]),
    push("sent twice", .duplicatedPush, "duplicatePush", early: 2, sees: ["a", "a", "b", "end"]),
    push("held back", .heldPush, "holdPush", sees: ["b", "a", "end"]),
  ]

  /// What becomes of the push for the first of three records.
  private static func push(
    _ what: String, _ local: LocalServer.Fault, _ effect: String, early: Int = 0,
    sees seen: [String]
  ) -> Case {
    Case("a push that is \(what)", local, json: #"{"effect":"\#(effect)"}"#, effect, sees: seen) {
      place in
      let subscription = CKQuerySubscription.of("Note", id: "all-\(place.zone.zoneName)")
      subscription.zoneID = place.zone
      try await place.laptop.database.save(place.record("first"))
      try await place.phone.database.save(subscription.alerting("news"))
      let inbox = try await Inbox(place.phone)
      try await place.begin()
      var names: [String] = []
      func receive() async throws {
        names.append(try await inbox.nextQuery().recordID?.recordName ?? "-")
      }
      try await place.laptop.database.save(place.record("a"))
      for _ in 0..<early { try await receive() }
      try await place.laptop.database.save(place.record("b"))
      try await receive()
      if effect == "holdPush" {
        try await place.interface.release()
        try await receive()
      }
      try await place.laptop.database.save(place.record("end"))
      try await receive()
      return names
    }
  }
}

/// How a call ended.
private func outcome<Value>(_ call: () async throws -> Value) async -> String {
  do { _ = try await call() } catch let error as CKError {
    let wait = error.retryAfterSeconds.map { " \($0)" } ?? ""
    let reset = error.userInfo[CKErrorUserDidResetEncryptedDataKey] != nil
    return "\(error.code)\(wait)\(reset ? " because of a reset" : "")"
  } catch { return "\(error)" }
  return "ok"
}

private func outcomes(of count: Int, _ call: () async throws -> Void) async -> [String] {
  var all: [String] = []
  for _ in 0..<count { all.append(await outcome(call)) }
  return all
}
