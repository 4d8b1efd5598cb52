// Where fetched files are, in a folder that the programs of several users and devices share.

import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeClient
@testable import BrumeKit

@Suite final class AssetPlaceTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  private static let content = Array("photo".utf8)

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The same record with the same file, in everybody's own zone.
  private static func page(of user: String) -> [UInt8] {
    var digest = ContentDigest()
    digest.update(data: content)
    let checksum = Data([1] + digest.bytes().prefix(20)).base64EncodedString()
    let record = Record(
      name: "a", zone: ZoneID(name: "Notes", ownerName: user), type: "Note", changeTag: "1",
      fields: ["photo": .asset(Asset(fileChecksum: checksum, size: Int64(content.count)))])
    let stored = StoredRecord(name: "a", type: "Note", sequence: 1, content: .value(record))
    return Wire.queryPage(
      QueryPage(records: [stored], marker: nil),
      RecordOptions(downloadURL: { _ in "http://scripted/file" }))
  }

  /// Where the file is for a program of a user.
  private func photo(
    of user: String, on device: String?, token: String = "token"
  ) async throws -> URL {
    let server = ScriptedServer { request, _ in
      request.action == "file" ? Self.content : Self.page(of: user)
    }
    var settings = Configuration(
      url: "http://scripted", in: ContainerEnvironment(ContainerID("iCloud.test"), .development),
      userToken: token, deviceID: device.map { DeviceID($0) })
    settings.assetDirectory = folder.path
    let session = Session(try settings.withDevice { UUID().uuidString }, transport: server)
    let container = CKContainer(connection: Connection(session), identifier: "iCloud.test")
    let found = try await container.privateCloudDatabase.records(
      matching: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)),
      inZoneWith: CKRecordZone.ID(zoneName: "Notes"))
    let record = try #require(found.matchResults.first).1.get()
    return try #require((record["photo"] as? CKAsset)?.fileURL)
  }

  @Test func `a file that one device moves stays for the other one, and for another user's`()
    async throws
  {
    let phone = try await photo(of: "_alice", on: "phone")
    let laptop = try await photo(of: "_alice", on: "laptop")
    let bobs = try await photo(of: "_bob", on: "phone")
    try FileManager.default.moveItem(at: phone, to: folder.appending(path: "moved"))
    #expect(try Data(contentsOf: laptop) == Data(Self.content))
    try FileManager.default.removeItem(at: laptop)
    #expect(try Data(contentsOf: bobs) == Data(Self.content))
  }

  @Test(arguments: ["phone", nil])
  func `a file has one place in all sessions of a user, and in all runs without a device's ID`(
    device: String?
  ) async throws {
    let first = try await photo(of: "_alice", on: device, token: "first")
    #expect(try await photo(of: "_alice", on: device, token: "later") == first)
    #expect(try await photo(of: "_bob", on: device) != first)
  }
}
