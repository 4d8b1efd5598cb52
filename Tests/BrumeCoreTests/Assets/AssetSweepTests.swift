// What the sweeper removes, when, and what a crash between its steps leaves.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@Suite struct AssetSweepTests {
  @Test func `a file goes when nobody needed it for as long as its addresses live`() {
    func decide(_ isNeeded: Bool, _ since: Int64, _ now: Int64) -> AssetSweep.Decision {
      AssetSweep.decide(isNeeded: isNeeded, idleSince: since, now: now, grace: 100)
    }
    #expect(decide(true, 0, 1000) == .keep)
    #expect(decide(true, 5, 1000) == .keep)
    #expect(decide(false, 0, 1000) == .wait)
    #expect(decide(false, 950, 1049) == .wait)
    #expect(decide(false, 950, 1050) == .remove)
  }

  @Test func `an upload that no save used goes after its receipt`() async throws {
    let assets = try await AssetFixture()
    _ = try await assets.upload([1, 2, 3])
    #expect(try await assets.sweep() == .init())
    assets.clock.advance(by: assets.limits.assetReceiptLifetime)
    #expect(try await assets.sweep() == .init(uploads: 1))
    assets.clock.advance(by: assets.limits.longestAssetAddress)
    #expect(try await assets.sweep() == .init(files: 1, objects: 1))
    #expect(try await assets.objects() == 0)
  }

  @Test func `a saved file stays, and goes after the last record let go of it`() async throws {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload([1, 2, 3])
    try await assets.save(uploaded)
    try await assets.save(try await assets.upload([1, 2, 3], for: "two"), in: "two")
    try await assets.advanceTime()
    #expect(try await assets.objects() == 1)
    _ = try await assets.fixture.modify([.init(.delete, RecordDraft(name: "two"))])
    try await assets.advanceTime()
    #expect(try await assets.content(uploaded) == [1, 2, 3])
    try await assets.fixture.save(assets.operation(.forceUpdate, "one", "photo", nil))
    #expect(try await assets.content(uploaded) == [1, 2, 3], "addresses handed out before work on")
    try await assets.advanceTime()
    #expect(try await assets.objects() == 0)
    await #expect(throws: BrumeError.self) { _ = try await assets.content(uploaded) }
  }

  /// The clock begins with a whole minute, so that the address is good for one more than its lifetime.
  @Test func `a file stays for as long as the last address that was handed out is good`()
    async throws
  {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload([1, 2, 3])
    try await assets.save(uploaded)
    let token = assets.engine.assetDownloads.token(for: uploaded)
    try await assets.fixture.save(assets.operation(.forceUpdate, "one", "photo", nil))
    _ = try await assets.sweep()
    assets.clock.advance(by: assets.limits.assetAddressLifetime + 59_999)
    #expect(try await assets.sweep().files == 0)
    _ = try await assets.engine.assetDownloads.open(token)
    assets.clock.advance(by: 1)
    #expect(try await assets.sweep().files == 1)
  }

  @Test func `a deleted zone's files go`() async throws {
    let assets = try await AssetFixture()
    try await assets.save(try await assets.upload([1, 2, 3]))
    try await assets.fixture.deleteZone(EngineFixture.trails)
    try await assets.advanceTime()
    #expect(try await assets.objects() == 0)
  }

  @Test func `a file that found a new record while it was idle stays`() async throws {
    let assets = try await AssetFixture()
    try await assets.save(try await assets.upload([1, 2, 3]))
    try await assets.fixture.save(assets.operation(.forceUpdate, "one", "photo", nil))
    #expect(try await assets.sweep() == .init())
    let again = try await assets.upload([1, 2, 3])
    try await assets.save(again)
    try await assets.advanceTime()
    #expect(try await assets.content(again) == [1, 2, 3])
    #expect(try await assets.objects() == 1, "the first copy was replaced")
  }

  @Test func `an upload that a crash cut off leaves nothing`() async throws {
    let assets = try await AssetFixture()
    // As the rows and the store are when the server crashes after the last byte.
    let store = assets.fixture.server.store
    let time = assets.clock.now
    try await store.write(in: .all) {
      try $0.assets.put(AssetUpload(id: "cutoffcutoff", checksum: nil, began: time))
    }
    try await assets.fixture.server.assets.write([1], as: "cutoffcutoff")
    #expect(try await assets.objects() == 1)
    assets.clock.advance(by: assets.limits.assetReceiptLifetime)
    #expect(try await assets.sweep() == .init(uploads: 1, objects: 1))
    #expect(try await assets.objects() == 0)
  }

  @Test func `an upload that is passed on for longer than its receipt is good leaves nothing`()
    async throws
  {
    let assets = try await AssetFixture()
    let server = assets.fixture.server
    let slow = SlowAssets(inner: server.assets) {
      // The sweeper takes what seems to be of a server that died.
      assets.clock.advance(by: assets.limits.assetReceiptLifetime)
      let swept = try await assets.sweep()
      #expect(swept == .init(uploads: 1, objects: 1))
    }
    let engine = try await Engine(
      store: server.store, assets: slow, limits: assets.limits,
      host: .test(clock: assets.clock, seed: 2))
    let ticket = try await assets.ticket()
    var rest: ArraySlice<UInt8> = [1, 2]
    let error = try await ruleFailure {
      try await engine.assetUploads.receive(ticket.ticket) {
        defer { rest = [] }
        return rest.isEmpty ? nil : rest
      }
    }
    #expect(error.code == .tryAgainLater)
    #expect(try await assets.objects() == 1)
    #expect(try await assets.sweep() == .init(objects: 1))
    #expect(try await assets.objects() == 0)
  }

  @Test func `bytes that a service kept and did not confirm go`() async throws {
    let assets = try await AssetFixture()
    let ticket = try await assets.ticket()
    await #expect(throws: AssetFailure.self) {
      _ = try await assets.engine.assetUploads.receive(ticket.ticket) {
        throw AssetFailure(.unavailable, "no confirmation")
      }
    }
    let discarded = try await assets.fixture.server.store.read {
      try $0.assets.discardedObjects(after: "", limit: 9)
    }
    #expect(discarded.count == 1, "whatever came of it")
  }

  @Test func `files without bytes and bytes without a file are found (U7)`() async throws {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload([1, 2, 3])
    try await assets.save(uploaded)
    let bytes = assets.fixture.server.assets
    let object = try #require(try await bytes.names(after: "", limit: 1).first)
    try await bytes.remove(object)
    try await bytes.write([1], as: "nobodyknows0")
    let report = try await assets.engine.assetCheck.run(limit: 10)
    #expect(report.missing == [uploaded.fileChecksum] && report.unknown == ["nobodyknows0"])
    let error = await #expect(throws: BrumeError.self) {
      _ = try await assets.content(uploaded)
    }
    #expect(error?.code == .assetNotAvailable)
    // Uploading the file again mends it.
    try await assets.save(try await assets.upload([1, 2, 3], for: "two"), in: "two")
    #expect(try await assets.content(uploaded) == [1, 2, 3])
  }

  @Test(.timeLimit(.minutes(1)))
  func `a list of objects that comes back to where it was ends the check`() async throws {
    let assets = StubbornAssets(listed: ["s&amp;p.csv"])
    let engine = try await Engine(
      store: MemoryStore(coders: .wire), assets: assets, limits: .apple,
      host: .test(clock: ManualClock(), seed: 1))
    let report = try await engine.assetCheck.run(limit: 10)
    #expect(report.objects == 1 && report.unknown == ["s&amp;p.csv"])
  }

  /// Discards objects and has them removed, which fails.
  ///
  /// - Returns: those that are left, and what the pass says.
  private func left(
    of names: [String], in assets: StubbornAssets
  ) async throws -> (discarded: [String], report: AssetSweepReport, failure: AssetFailure?) {
    let store = MemoryStore(coders: .wire)
    let engine = try await Engine(
      store: store, assets: assets, limits: .apple, host: .test(clock: ManualClock(), seed: 1))
    try await store.write(in: .all) { transaction in
      for name in names { try transaction.assets.discardObject(name) }
    }
    var report = AssetSweepReport()
    var failure: AssetFailure?
    do {
      try await engine.assetSweeper.sweep(into: &report)
    } catch let error as AssetFailure { failure = error }
    #expect(failure != nil)
    let left = try await store.read { try $0.assets.discardedObjects(after: "", limit: .max) }
    return (left, report, failure)
  }

  @Test(arguments: [1, Limits.apple.assetSweepRows])
  func `objects that cannot be removed stay for later, and the others go`(count: Int) async throws {
    // The first in order.
    let stubborn = (0..<count).map { "a\(1_000_000 + $0)" }
    let assets = StubbornAssets(keeps: Set(stubborn))
    let left = try await left(of: stubborn + ["b0000000", "b0000001"], in: assets)
    #expect(left.discarded == stubborn)
    #expect(left.failure?.description == "not now: a1000000")
    #expect(left.report == .init(objects: 2), "what went is counted")
    #expect(assets.removed.value == ["b0000000", "b0000001"])
  }

  @Test func `a place for assets that keeps everything is not asked about each object in one pass`()
    async throws
  {
    let names = (0..<2000).map { "a\(1_000_000 + $0)" }
    let assets = StubbornAssets(keeps: Set(names))
    #expect(try await left(of: names, in: assets).discarded == names)
    #expect(assets.asked.value < names.count)
  }

  @Test func `a place for assets that does not answer is not asked about each object`()
    async throws
  {
    let names = ["a0000000", "a0000001"]
    let assets = StubbornAssets(keeps: Set(names), isSilent: true)
    #expect(try await left(of: names, in: assets).discarded == names)
    #expect(assets.asked.value == 1)
  }
}

/// Removes everything but some objects, and lists the same whatever it is asked.
private struct StubbornAssets: AssetStore {
  var listed: [String] = []
  var keeps: Set<String> = []
  /// It lists nothing.
  var isSilent = false
  let asked = Mutexed(0)
  let removed = Mutexed<[String]>([])

  func write(_ name: String, from next: () async throws -> ArraySlice<UInt8>?) async throws {}
  func size(of name: String) async throws -> Int64? { nil }
  func read(
    _ name: String, _ range: Range<Int64>, into take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws {}
  func remove(_ name: String) async throws {
    asked.change { $0 += 1 }
    if keeps.contains(name) { throw AssetFailure(.unavailable, "not now: \(name)") }
    removed.change { $0.append(name) }
  }
  func names(after name: String, limit: Int) async throws -> [String] {
    if isSilent { throw AssetFailure(.unavailable, "not now") }
    return listed
  }
}

/// A bucket to which a file goes when its last byte has come. It takes its time.
private struct SlowAssets: AssetStore {
  let inner: MemoryAssetStore
  let meanwhile: @Sendable () async throws -> Void

  func write(_ name: String, from next: () async throws -> ArraySlice<UInt8>?) async throws {
    var bytes: [UInt8] = []
    while let piece = try await next() { bytes += piece }
    try await meanwhile()
    try await inner.write(bytes, as: name)
  }
  func size(of name: String) async throws -> Int64? { try await inner.size(of: name) }
  func read(
    _ name: String, _ range: Range<Int64>, into take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws {
    try await inner.read(name, range, into: take)
  }
  func remove(_ name: String) async throws { try await inner.remove(name) }
  func names(after name: String, limit: Int) async throws -> [String] {
    try await inner.names(after: name, limit: limit)
  }
}

extension AssetFixture {
  func sweep() async throws -> AssetSweepReport { try await engine.assetSweeper.sweep() }

  /// Long enough for anything idle to go.
  func advanceTime() async throws {
    _ = try await sweep()
    clock.advance(by: limits.assetReceiptLifetime)
    _ = try await sweep()
    clock.advance(by: limits.longestAssetAddress)
    _ = try await sweep()
  }
}
