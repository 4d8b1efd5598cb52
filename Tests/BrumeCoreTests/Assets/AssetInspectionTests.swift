// A file that is held against what was uploaded, while a server goes on.

import BrumeModel
import BrumeStorage
import Testing

@testable import BrumeCore

@Suite struct AssetInspectionTests {
  private let assets = MemoryAssetStore()

  @Test func `a file that arrived again is read as its new object`() async throws {
    let now = try await put("newobject", [1, 2, 3])
    let found = try await AssetInspection.finding(in: file("oldobject", now), of: assets) { _ in now
    }
    #expect(found == nil)
  }

  @Test func `a file that is gone meanwhile is not missed`() async throws {
    let whole = try await put("newobject", [1, 2, 3])
    let found = try await AssetInspection.finding(in: file("oldobject", whole), of: assets) { _ in
      nil
    }
    #expect(found == nil)
  }

  @Test func `a file whose row still names what is not there has lost its bytes`() async throws {
    let lost = file("oldobject", try await put("newobject", [1, 2, 3]))
    let found = try await AssetInspection.finding(in: lost, of: assets) { $0 }
    #expect(found == "file sum, object oldobject, has lost its bytes")
  }

  private func put(_ object: String, _ bytes: [UInt8]) async throws -> AssetFile {
    var rest: ArraySlice<UInt8>? = bytes[...]
    try await assets.write(object) {
      defer { rest = nil }
      return rest
    }
    var meter = AssetMeter(limit: Int64(bytes.count))
    try meter.take(bytes[...])
    return AssetFile(
      checksum: "sum", object: object, size: Int64(bytes.count), digest: meter.finished(),
      idleSince: nil)
  }

  private func file(_ object: String, _ other: AssetFile) -> AssetFile {
    AssetFile(
      checksum: other.checksum, object: object, size: other.size, digest: other.digest,
      idleSince: nil)
  }
}
