// More shares than go in one request.

import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct ManySharesTests {
  /// A server that knows no share.
  private static var server: ScriptedServer {
    ScriptedServer { request, _ in
      let asked = try Wire.shortGUIDs(try #require(request.body))
      return Wire.shareResults(
        asked.map { .failure(ItemFailure($0.value, BrumeError(.notFound, "no share"))) },
        RecordOptions())
    }
  }

  private func sizes(_ server: ScriptedServer) throws -> [Int] {
    try server.requests.map { try Wire.shortGUIDs(try #require($0.body)).count }
  }

  @Test func `what is behind more than 200 URLs is asked in several requests`() async throws {
    let (server, journal) = (Self.server, Journal())
    let urls = (0..<201).compactMap { URL(string: "https://a.example/share/\($0)") }
    let fetch = CKFetchShareMetadataOperation(shareURLs: urls)
    fetch.container = server.container
    fetch.perShareMetadataResultBlock = { journal.note("\($0.lastPathComponent) \(outcome($1))") }
    await finish(fetch)
    #expect(journal.all == (0..<201).map { "\($0) unknownItem" })
    #expect(try sizes(server) == [200, 1])
  }

  @Test func `more than 200 shares are accepted in several requests`() async throws {
    let (server, journal) = (Self.server, Journal())
    let zone = ZoneID(name: "Trails", ownerName: "_ann")
    let metadata = CKShare.Metadata(
      ShareMetadata(
        shortGUID: ShortGUIDRequest(value: "0abc"),
        in: ContainerEnvironment(ContainerID("iCloud.test"), .development), scope: .shared,
        zone: zone, share: Record(name: "S", zone: zone, type: Record.shareType, changeTag: "1"),
        rootRecordName: nil, rootRecord: nil, owner: UserIdentity(user: UserID("_ann")),
        role: .privateUser, acceptance: .invited, permission: .readOnly),
      from: Viewpoint(scope: .shared, me: "_me"))
    let accept = CKAcceptSharesOperation(
      shareMetadatas: Array(repeating: metadata, count: 201))
    accept.container = server.container
    accept.perShareResultBlock = { journal.note(outcome($1)) }
    await finish(accept)
    #expect(journal.all == Array(repeating: "unknownItem", count: 201))
    #expect(try sizes(server) == [200, 1])
  }
}
