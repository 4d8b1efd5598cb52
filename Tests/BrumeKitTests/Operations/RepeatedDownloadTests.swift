// A file that arrives in part, and then by another address: the first one expired meanwhile.

import BrumeClient
import BrumeModel
import BrumeWire
import Foundation
import Synchronization
import Testing

@testable import BrumeKit

@Suite struct RepeatedDownloadTests {
  @Test func `bytes of a file that comes once more by a new address are counted once`() async {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let id = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Notes"))
    let operation = CKFetchRecordsOperation(recordIDs: [id])
    operation.database = CutTransport().container(keepingFilesAt: folder.path).privateCloudDatabase
    let journal = Journal()
    operation.perRecordProgressBlock = { journal.note("\(Int($1 * 100))") }
    operation.perRecordResultBlock = { journal.note(outcome($1)) }
    await finish(operation)
    #expect(journal.all == ["40", "50", "100", "ok"])
  }
}

/// Has a record with a file of 10 bytes. Its first address brings 4 of them, and has expired when it is asked again.
private final class CutTransport: Transport {
  private let server = ScriptedServer { _, number in
    let record = Record(
      name: "a", zone: ZoneID(name: "Notes", ownerName: "_me"), type: "Note", changeTag: "1",
      fields: ["file": .asset(Asset(fileChecksum: "one", size: 10))])
    let stored = StoredRecord(name: "a", type: "Note", sequence: 1, content: .value(record))
    let address = "http://scripted/\(number == 0 ? "old" : "new")"
    return Wire.records(
      [.success(.saved(stored))], RecordOptions(downloadURL: { _ in address }))
  }
  private let wasCut = Mutex(false)

  func send(_ call: HTTPCall) async throws -> HTTPAnswer { try await server.send(call) }

  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? { nil }

  func download(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    if call.target == "/new" {
      for _ in 0..<2 { try await take([1, 2, 3, 4, 5]) }
      return nil
    }
    let isFirst = wasCut.withLock { wasCut in
      defer { wasCut = true }
      return !wasCut
    }
    if isFirst {
      try await take([1, 2, 3, 4])
      throw CallFailure.responseLost("cut")
    }
    let refusal = BrumeError(.accessDenied, "the address has expired")
    return HTTPAnswer(status: 403, body: Wire.error(refusal, uuid: "scripted"))
  }

  func container(keepingFilesAt folder: String) -> CKContainer {
    var settings = Configuration(
      url: "http://scripted", in: ContainerEnvironment(ContainerID("iCloud.test"), .development),
      apiToken: "token", userToken: "user")
    settings.assetDirectory = folder
    let host = Session.Host(sleep: { _ in })
    return CKContainer(
      connection: Connection(Session(settings, transport: self, host: host)),
      identifier: "iCloud.test")
  }
}
