// IDs of assets: for whom and how long they are good, and what becomes of them when the source changes.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct AssetExportTests {
  private let photo = AssetField(recordName: "one", fieldName: "photo")

  private func exported(_ assets: AssetFixture) async throws -> String {
    let request = AssetRereferenceRequest(zone: EngineFixture.trails, assets: [photo])
    let results = try await assets.engine.assetExports.make(
      request, in: .private, as: assets.fixture.phone)
    return try #require(results.first).get()
  }

  private func taken(
    _ text: String, _ assets: AssetFixture, as caller: Caller? = nil,
    zone: ZoneID? = EngineFixture.trails
  ) async throws -> AssetResult {
    let item = AssetImportRequest.Item(
      field: AssetField(recordName: "two", fieldName: "cover"), exported: text)
    let results = try await assets.engine.assetExports.take(
      AssetImportRequest(zone: zone, assets: [item]), in: .private,
      as: caller ?? assets.fixture.phone)
    return try #require(results.first)
  }

  private func fixture() async throws -> AssetFixture {
    let assets = try await AssetFixture()
    try await assets.save(try await assets.upload(AssetTests.photo))
    return assets
  }

  @Test func `the server copies the file that an ID names, and the copy outlives the source`()
    async throws
  {
    let assets = try await fixture()
    let asset = try await taken(try await exported(assets), assets).get()
    #expect(asset.size == 5000 && asset.receipt != nil)
    let elsewhere = try await assets.refusal(of: asset, in: "three", "cover")
    #expect(elsewhere.code == .badRequest, "the receipt is for one record and field")
    try await assets.save(asset, in: "two", "cover")
    #expect(try await assets.objects() == 1)
    try await assets.fixture.save(assets.operation(.forceUpdate, "one", "photo", nil))
    assets.clock.advance(by: 30 * 24 * 3_600_000)
    _ = try await assets.engine.assetSweeper.sweep()
    _ = try await assets.engine.assetSweeper.sweep()
    #expect(try await assets.content(asset) == AssetTests.photo)
  }

  @Test func `an ID may be used again, and ends after its days`() async throws {
    let assets = try await fixture()
    let text = try await exported(assets)
    _ = try await taken(text, assets).get()
    assets.clock.advance(by: 3 * 86_400_000 - 1)
    _ = try await taken(text, assets).get()
    assets.clock.advance(by: 1)
    #expect(try await taken(text, assets).error?.code == .assetNotAvailable)
  }

  @Test func `an ID is of no use to another user or device, nor when it was changed`() async throws
  {
    let assets = try await fixture()
    let text = try await exported(assets)
    let laptop = try await assets.fixture.server.device("other", of: "alice")
    #expect(try await taken(text, assets, as: laptop).error?.code == .assetNotAvailable)
    let bob = try await taken(text, assets, as: assets.fixture.bob, zone: nil)
    #expect(bob.error?.code == .assetNotAvailable)
    #expect(try await taken("QUJD", assets).error?.code == .assetNotAvailable)
    let cut = String(text.dropLast())
    #expect(try await taken(cut, assets).error?.code == .assetNotAvailable)
  }

  @Test func `an ID whose source is gone, or holds another file, is unknown`() async throws {
    let assets = try await fixture()
    let text = try await exported(assets)
    try await assets.save(try await assets.upload([1, 2, 3]))
    #expect(try await taken(text, assets).error?.code == .notFound)
    let second = try await exported(assets)
    _ = try await assets.fixture.modify([
      RecordOperation(.forceDelete, RecordDraft(name: "one", zone: EngineFixture.trails))
    ])
    #expect(try await taken(second, assets).error?.code == .notFound)
  }

  @Test func `there is no ID of what the caller cannot read or what is no asset`() async throws {
    let assets = try await fixture()
    let request = AssetRereferenceRequest(
      zone: EngineFixture.trails,
      assets: [
        photo, .init(recordName: "one", fieldName: "none"),
        .init(recordName: "x", fieldName: "photo"),
      ])
    let results = try await assets.engine.assetExports.make(
      request, in: .private, as: assets.fixture.phone)
    #expect(results.map { $0.error?.code } == [nil, .badRequest, .notFound])
    let foreign = try await assets.engine.assetExports.make(
      AssetRereferenceRequest(assets: [photo]), in: .private, as: assets.fixture.bob)
    #expect(foreign.map { $0.error?.code } == [.notFound])
  }

  @Test func `a list of IDs has a bound, and names are checked`() async throws {
    let assets = try await fixture()
    let item = AssetImportRequest.Item(
      field: AssetField(recordName: "two", fieldName: "1 cover"),
      exported: try await exported(assets))
    func take(_ items: [AssetImportRequest.Item]) async throws -> [AssetResult] {
      try await assets.engine.assetExports.take(
        AssetImportRequest(zone: EngineFixture.trails, assets: items), in: .private,
        as: assets.fixture.phone)
    }
    #expect(try await take([item]).map { $0.error?.code } == [.badRequest])
    await #expect(throws: BrumeError.self) {
      _ = try await take(Array(repeating: item, count: 201))
    }
  }
}
