import BrumeClient
import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

struct ErrorTests {
  private let view = Viewpoint(scope: .private)

  private func fail(_ error: any Error) throws { throw error }

  @Test func `an error is caught by type and matched by code`() {
    do {
      try fail(CKError(BrumeError(.notFound, "no record 'a'"), from: view))
    } catch let error as CKError where error.code == .unknownItem {
      #expect(error.localizedDescription == "no record 'a'")
    } catch {
      Issue.record("not caught: \(error)")
    }
    do {
      try fail(CKError(.zoneBusy))
    } catch CKError.zoneBusy {
    } catch {
      Issue.record("not matched: \(error)")
    }
  }

  @Test func `an error is an NSError with domain, code and text`() {
    let error: any Error = CKError(BrumeError(.notFound, "no record 'a'"), from: view)
    let bridged = error as NSError
    #expect(bridged.domain == CKErrorDomain)
    #expect(bridged.code == 11)
    #expect(bridged.localizedDescription == "no record 'a'")
    #expect(error.localizedDescription == "no record 'a'")
  }

  @Test func `a Foundation error of CloudKit's domain is a CloudKit error, and back`() throws {
    let made: any Error = NSError(domain: CKErrorDomain, code: 26)
    #expect((made as? CKError)?.code == .zoneNotFound)
    #expect(throws: CKError.self) { throw made }
    let there = CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 3.0]) as NSError
    #expect((there as? CKError)?.retryAfterSeconds == 3)
    let kept: [String: Any] = ["error": CKError(.zoneBusy)]
    #expect((kept["error"] as? NSError)?.code == 23 && kept["error"] is CKError)
    let other: any Error = NSError(domain: NSCocoaErrorDomain, code: 26)
    #expect(other as? CKError == nil)
  }

  @Test func `a conflict's records are found by the documented keys, as on Apple's systems`() {
    let id = CKRecord.ID(recordName: "a")
    let records = (0..<3).map { number in
      let record = CKRecord(recordType: "Note", recordID: id)
      record["n"] = number
      return record
    }
    let info = [
      CKRecordChangedErrorAncestorRecordKey: records[0],
      CKRecordChangedErrorServerRecordKey: records[1],
      CKRecordChangedErrorClientRecordKey: records[2],
    ]
    let made: any Error = NSError(domain: CKErrorDomain, code: 14, userInfo: info)
    let error = made as? CKError
    #expect(error?.ancestorRecord === records[0] && error?.serverRecord === records[1])
    #expect(error?.clientRecord === records[2])
    #expect(error?.errorUserInfo.count == 3 && CKError.errorDomain == "CKErrorDomain")
    #expect(
      info.keys.sorted() == ["AncestorRecord", "ClientRecord", "ServerRecord"],
      "code that spells the keys out")
  }

  @Test func `the errors of items are there as Swift's errors and as Foundation's`() {
    let id = CKRecord.ID(recordName: "a")
    let info = (CKError.partialFailure([id: CKError(.zoneBusy)]) as NSError).userInfo
    let items = info[CKPartialErrorsByItemIDKey]
    #expect((items as? [CKRecord.ID: any Error])?[id] is CKError)
    #expect((items as? [CKRecord.ID: CKError])?[id]?.code == .zoneBusy)
    #expect((items as? [CKRecord.ID: NSError])?[id]?.code == 23)
    #expect((items as? NSDictionary)?.count == 1)
  }

  @Test func `a printed error says its code, its reason and when to come back`() {
    let plain = CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: 3.0])
    #expect("\(plain as NSError)" == "<CKError: \"zoneBusy\" (23); retry after 3.0 s>")
    let said = CKError(BrumeError(.notFound, "no record 'a'"), from: view)
    #expect("\(said)" == "CKError(_nsError: <CKError: \"unknownItem\" (11); \"no record 'a'\">)")
    #expect("\(CKError(_nsError: NSError(domain: CKErrorDomain, code: 99)))".contains("99"))
  }

  @Test func `a printed partial failure names a few of its items`() {
    func failure(_ names: [String]) -> String {
      let errors = names.map { (AnyHashable($0), CKError(.zoneBusy) as any Error) }
      return "\(CKError.partialFailure(Dictionary(uniqueKeysWithValues: errors)) as NSError)"
    }
    let busy = "<CKError: \"zoneBusy\" (23)>"
    #expect(failure(["b", "a"]).hasSuffix("; a: \(busy), b: \(busy)>"))
    #expect(failure(["a", "b", "c", "d", "e"]).hasSuffix(", and 2 more>"))
  }

  @Test func `every error of the server has its code`() {
    for code in BrumeError.Code.allCases {
      #expect(CKError(BrumeError(code, "x"), from: view).errorCode == code.meaning.ckError)
      #expect(CKError.Code(rawValue: code.meaning.ckError) != nil)
    }
  }

  @Test func `faults know every error, by its name and number`() throws {
    for code in Fault.ErrorCode.allCases {
      let known = try #require(CKError.Code(rawValue: code.rawValue))
      #expect("\(known)" == "\(code)")
    }
    let last = try #require(Fault.ErrorCode.allCases.last)
    #expect(CKError.Code(rawValue: last.rawValue + 1) == nil)
    for code in Fault.connectionErrors.union([.internalError, .zoneBusy]) {
      #expect(code.comesFromServers)
    }
    #expect(!Fault.ErrorCode.operationCancelled.comesFromServers)
  }

  @Test func `an error says after how many seconds to come back`() {
    let error = CKError(BrumeError(.throttled, "slow down", retryAfter: 2.5), from: view)
    #expect(error.retryAfterSeconds == 2.5)
    #expect(error.userInfo[CKErrorRetryAfterKey] as? Double == 2.5)
    #expect(CKError(BrumeError(.badRequest, "x"), from: view).retryAfterSeconds == nil)
  }

  @Test func `a conflict carries the three records`() throws {
    let zone = ZoneID(name: "Notes", ownerName: "_1")
    var base = Record(name: "a", zone: zone, type: "Note", changeTag: "1")
    base.fields = ["kept": .int64(1), "title": .string("old"), "gone": .int64(2)]
    let client = makeRecord(base, from: view)
    client["text"] = "mine"
    client["title"] = "newer"
    client["title"] = "newest"
    client["gone"] = nil as Int?
    var theirs = base
    theirs.changeTag = "2"
    theirs.fields["text"] = .string("theirs")
    var conflict = BrumeError(.conflict, "changed")
    conflict.serverRecord = theirs
    let error = CKError(conflict, from: view, clientRecord: client)
    #expect(error.code == .serverRecordChanged)
    #expect(error.serverRecord?.recordChangeTag == "2")
    #expect(error.serverRecord?["text"] == "theirs")
    #expect(error.clientRecord === client)
    #expect(error.ancestorRecord?["text"] as String? == nil)
    #expect(error.ancestorRecord?["kept"] == 1)
    #expect(error.ancestorRecord?["title"] == "old" && error.ancestorRecord?["gone"] == 2)
    #expect(error.ancestorRecord?.changedKeys() == [])

    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: client, requiringSecureCoding: true)
    let later = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive))
    let again = CKError(conflict, from: view, clientRecord: later)
    #expect(again.clientRecord?["title"] == "newest")
    #expect(again.ancestorRecord?["title"] == "old" && again.ancestorRecord?["gone"] == 2)
  }

  @Test func `SAV-04 the ancestor in a conflict has the parent of before`() throws {
    let zone = ZoneID(name: "Notes", ownerName: "_1")
    let base = Record(name: "a", zone: zone, type: "Note", changeTag: "1", parent: "list")
    let client = makeRecord(base, from: view)
    for name in ["other", "third"] {
      client.setParent(CKRecord.ID(recordName: name, zoneID: client.recordID.zoneID))
    }
    var conflict = BrumeError(.conflict, "changed")
    conflict.serverRecord = base
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: client, requiringSecureCoding: true)
    let later = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive))
    for record in [client, later] {
      let error = CKError(conflict, from: view, clientRecord: record)
      #expect(error.ancestorRecord?.parent?.recordID.recordName == "list")
      #expect(error.clientRecord?.parent?.recordID.recordName == "third")
    }
    let new = CKRecord(recordType: "Note", recordID: client.recordID)
    new.setParent(client)
    let error = CKError(conflict, from: view, clientRecord: new)
    #expect(error.ancestorRecord?.parent == nil)
  }

  @Test func `LIM-08 a partial failure has the longest time that one of its items is to wait`() {
    let busy = { (seconds: Double) in
      CKError(BrumeError(.tryAgainLater, "busy", retryAfter: seconds), from: view)
    }
    let error = CKError.partialFailure(["a": busy(2), "b": busy(3), "c": CKError(.unknownItem)])
    #expect(error.retryAfterSeconds == 3)
    #expect(CKError.partialFailure(["c": CKError(.unknownItem)]).retryAfterSeconds == nil)
  }

  @Test func `a reset of encrypted data is reported`() {
    var gone = BrumeError(.zoneNotFound, "gone")
    gone.didResetEncryptedData = true
    let error = CKError(gone, from: view)
    #expect(error.userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true)
  }

  @Test(arguments: [
    (CallFailure.unreachable("x"), CKError.Code.networkUnavailable),
    (.connectionFailed("x"), .networkFailure), (.responseLost("x"), .serverResponseLost),
    (.notConfigured("x"), .missingEntitlement), (.malformedAnswer("x"), .networkFailure),
    (.serverFailed(status: 502, "x"), .serverRejectedRequest),
  ])
  func `what the network did has its code`(_ failure: CallFailure, _ code: CKError.Code) {
    let error = CKError(converting: failure, from: view)
    #expect(error.code == code)
    #expect(error.localizedDescription.contains("x"))
  }

  @Test func `ATM-12 a server that broke down is distinguished from one that refuses`() {
    let broken = CKError(.serverFailed(status: 502, "bad gateway"))
    let underlying = broken.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(underlying?.code == 502 && underlying?.localizedDescription == "bad gateway")
    #expect(broken.isServerFailure && broken.isRepeatedBySyncEngine)
    let refusal = CKError(BrumeError(.rejected, "no"), from: view)
    #expect(refusal.code == .serverRejectedRequest)
    #expect(!refusal.isServerFailure && !refusal.isRepeatedBySyncEngine)
  }

  @Test func `a partial failure has each item's error`() {
    let id = CKRecord.ID(recordName: "a")
    let error = CKError.partialFailure([id: CKError(.unknownItem)])
    #expect(error.code == .partialFailure)
    #expect((error.partialErrorsByItemID?[id] as? CKError)?.code == .unknownItem)
  }

  @Test func `errors are equal by code and details`() {
    #expect(CKError(.zoneBusy) == CKError(.zoneBusy))
    #expect(CKError(.zoneBusy) != CKError(.internalError))
    #expect(CKError(.zoneBusy, "a") != CKError(.zoneBusy, "b"))
  }
}
