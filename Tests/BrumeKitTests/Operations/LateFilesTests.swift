// Files that take so long that what the server gave for them runs out.

import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

@Suite struct LateFilesTests {
  private static let addresses = "assets/upload"
  private static let save = "records/modify"

  /// Saves records with files in these fields to a server at which each upload, by its number, and the save, which is number
  /// 0, take so many minutes. `refusal` is of a record in a save, counted from 0, and `failure` of the save. Of a record with
  /// a name of two letters the first is the owner of its database. Answers
  /// what was asked, with the number of files and the end of a save's name unless it is the first, and how the saves ended;
  /// `progress` gets the parts that were reported, in hundredths.
  private func save(
    _ names: [String], files keys: [String], isAtomic: Bool = true, progress: Journal? = nil,
    refusal: @escaping @Sendable (String, _ save: Int) -> BrumeError? = { _, _ in nil },
    failure: @escaping @Sendable (_ save: Int) -> BrumeError? = { _ in nil },
    minutes: @escaping @Sendable (Int) -> Double
  ) async throws -> (asked: [String], ended: [String]) {
    let file = FileManager.default.temporaryDirectory.appending(path: "late-\(UUID().uuidString)")
    try Data("abc".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let time = Mutex(Date(timeIntervalSince1970: 0))
    let (asked, uploads, saves) = (Journal(), Journal(), Journal())
    let server = ScriptedServer(now: { time.withLock { $0 } }) { request, _ in
      switch request.action {
      case Self.addresses:
        let files = try AssetUploadRequest(json: try #require(request.body)).files
        asked.note("\(request.action) \(files.count)")
        return Wire.uploadTickets(
          files.map {
            let name = $0.recordName ?? ""
            return AssetUploadTicket(
              recordName: name, fieldName: $0.fieldName,
              ticket: "http://scripted/\(name)/\($0.fieldName)")
          })
      case Self.save:
        time.withLock { $0 += 60 * minutes(0) }
        let question = try ModifyRecordsRequest(json: try #require(request.body))
        let number = saves.all.count
        let name = try #require(question.operationID)
        saves.note(name)
        asked.note(request.action + (name.hasSuffix("/0") ? "" : String(name.suffix(2))))
        if let failure = failure(number) { throw failure }
        return Wire.records(
          question.operations.compactMap(\.record.name).map { name in
            guard let refusal = refusal(name, number) else { return .success(.saved(stored(name))) }
            return .failure(ItemFailure(RecordID(name: name, zone: ZoneID(name: "Notes")), refusal))
          }, RecordOptions())
      default:
        asked.note(request.action)
        uploads.note(request.action)
        time.withLock { $0 += 60 * minutes(uploads.all.count) }
        return Wire.singleFile(Asset(fileChecksum: "one", size: 3, receipt: "r"))
      }
    }
    let ended = Journal()
    let operation = CKModifyRecordsOperation(
      recordsToSave: names.map { name in
        let owner = name.count == 2 ? "_\(name.prefix(1))" : CKCurrentUserDefaultName
        let zone = CKRecordZone.ID(zoneName: "Notes", ownerName: owner)
        let id = CKRecord.ID(recordName: name, zoneID: zone)
        let record = CKRecord(recordType: "Note", recordID: id)
        for key in keys { record[key] = CKAsset(fileURL: file) }
        return record
      })
    operation.isAtomic = isAtomic
    let isShared = names.contains { $0.count == 2 }
    operation.database = server.container.database(with: isShared ? .shared : .private)
    operation.perRecordProgressBlock = { record, part in
      progress?.note("\(record.recordID.recordName) \(Int(part * 100))")
    }
    operation.perRecordSaveBlock = { ended.note(outcome($1)) }
    operation.modifyRecordsResultBlock = { ended.note("all \(outcome($0))") }
    await finish(operation)
    return (asked.all, ended.all)
  }

  @Test func `addresses that have waited for their turn are asked for again`() async throws {
    let (asked, ended) = try await save(["a"], files: ["x", "y", "z"]) { $0 == 1 ? 11 : 1 }
    #expect(
      asked == [
        "\(Self.addresses) 3", "a/x", "\(Self.addresses) 2", "a/y", "a/z", Self.save,
      ])
    #expect(ended == ["ok", "all ok"])
  }

  @Test func `a file that has waited too long for others is sent again before the save`()
    async throws
  {
    let (asked, ended) = try await save(["a", "b"], files: ["x"]) { $0 == 1 ? 51 : 1 }
    #expect(
      asked == [
        "\(Self.addresses) 1", "a/x", "\(Self.addresses) 1", "b/x", "\(Self.addresses) 1", "a/x",
        Self.save,
      ])
    #expect(ended == ["ok", "ok", "all ok"])
  }

  @Test func `files that are never there at once are not saved, which may pass`() async throws {
    let (asked, ended) = try await save(["a"], files: ["x", "y"]) { _ in 51 }
    #expect(asked.count(where: { $0 == "a/x" }) == 3 && !asked.contains(Self.save))
    #expect(ended == ["all networkFailure"])
  }

  @Test(arguments: [(1.0, "invalidArguments"), (31, "networkFailure")])
  func `a save that is refused long after its files were sent may pass`(
    minutes: Double, code: String
  ) async throws {
    let refusal = BrumeError(.badRequest, "the receipt has expired")
    let (asked, ended) = try await save(["a"], files: ["x"], refusal: { _, _ in refusal }) {
      $0 == 0 ? minutes : 20
    }
    // Such a server keeps what it refused: another try has another name.
    #expect(asked.last == (code == "networkFailure" ? "\(Self.save)/1" : Self.save))
    #expect(ended == [code, "all ok"])
  }

  private static let expired = BrumeError(.receiptExpired, "the receipt has expired")
  private static let once = ["\(addresses) 1", "a/x", save]

  @Test func `files that the server forgets early are sent once more with their record`()
    async throws
  {
    let (asked, ended) = try await save(
      ["a"], files: ["x"], refusal: { $1 == 0 ? Self.expired : nil }
    ) { _ in 1 }
    // The server remembers nothing of the first: a repetition of the operation begins with its name.
    #expect(asked == Self.once + Self.once)
    #expect(ended == ["ok", "all ok"])
  }

  @Test func `SAV-38 files that are sent once more take no progress back`() async throws {
    let parts = Journal()
    let (asked, ended) = try await save(
      ["a"], files: ["x", "y", "z"], progress: parts,
      refusal: { $1 == 0 ? Self.expired : nil }
    ) { _ in 1 }
    #expect(asked.count(where: { $0 == "a/x" }) == 2 && ended == ["ok", "all ok"])
    #expect(parts.all == ["a 33", "a 66", "a 100"])
  }

  @Test func `if nothing was saved and the second save fails, the operation does`() async throws {
    let (_, ended) = try await save(
      ["a"], files: ["x"], refusal: { _, _ in Self.expired },
      failure: { $0 == 0 ? nil : BrumeError(.throttled, "busy") }
    ) { _ in 1 }
    #expect(ended == ["all requestRateLimited"])
  }

  @Test func `files that the server forgets each time are not saved, which may pass`() async throws
  {
    let (asked, ended) = try await save(["a"], files: ["x"], refusal: { _, _ in Self.expired }) {
      _ in 1
    }
    #expect(asked == Self.once + Self.once)
    #expect(ended == ["networkFailure", "all ok"])
  }

  @Test
  func
    `what failed with a forgotten file goes with it, and its own files stay if they are younger`()
    async throws
  {
    let (asked, ended) = try await save(
      ["a", "b"], files: ["x"],
      refusal: { name, save in
        if save > 0 { return nil }
        return name == "a" ? Self.expired : BrumeError(.atomicError, "not alone")
      }
    ) { _ in 1 }
    #expect(asked.suffix(3) == Self.once[...])
    #expect(asked.count(where: { $0 == "b/x" }) == 1)
    #expect(ended == ["ok", "ok", "all ok"])
  }

  @Test func `what was saved beside a forgotten file is not sent again, whatever becomes of that`()
    async throws
  {
    let endings: [(failure: BrumeError?, code: String)] = [
      (nil, "ok"), (BrumeError(.throttled, "busy"), "requestRateLimited"),
    ]
    for (failure, code) in endings {
      let (asked, ended) = try await save(
        ["a", "b"], files: ["x"], isAtomic: false,
        refusal: { name, save in
          if name == "b" { return save == 0 ? nil : BrumeError(.conflict, "it was saved") }
          return save == 0 ? Self.expired : nil
        },
        failure: { $0 == 0 ? nil : failure }
      ) { _ in 1 }
      // Under a name of its own: under the first the server has what it saved.
      #expect(asked.suffix(3) == ["\(Self.addresses) 1", "a/x", "\(Self.save)/1"])
      #expect(ended == ["ok", code, "all ok"])
    }
  }

  @Test func `of several owners' databases each has the name under which it remembers its save`()
    async throws
  {
    let (asked, ended) = try await save(
      ["a1", "b1", "b2", "c1"], files: ["x"], isAtomic: false,
      refusal: { name, save in
        save == 0 && ["a1", "b1"].contains(name) ? Self.expired : nil
      }
    ) { _ in 1 }
    // The first owner's server has nothing under the first name, and the second one's has what it saved.
    #expect(asked.filter { $0.hasPrefix(Self.save) } == [Self.save, Self.save, "\(Self.save)/1"])
    #expect(ended == ["ok", "ok", "ok", "ok", "all ok"])
  }
}
