// Files that no record holds yet have bounds of their own, and count against the quota.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct PendingUploadTests {
  private func bytes(_ count: Int) -> [UInt8] { Array(repeating: 7, count: count) }

  /// What an upload that never ends would have written when it is refused.
  private func endless(_ fixture: AssetFixture, announced: Int64? = nil) async throws -> (
    Int, BrumeError
  ) {
    let ticket = try await fixture.ticket()
    var written = 0
    let error = try await ruleFailure {
      try await fixture.engine.assetUploads.receive(ticket.ticket, announced: announced) {
        written += 100
        return bytes(100)[...]
      }
    }
    return (written, error)
  }

  @Test func `uploads that no save uses have a maximum of bytes, through one address too`()
    async throws
  {
    let fixture = try await AssetFixture { $0.pendingUploadBytesPerUser = 1000 }
    let ticket = try await fixture.ticket()
    _ = try await fixture.upload(bytes(600), to: ticket)
    let error = try await ruleFailure { try await fixture.upload(bytes(600), to: ticket) }
    #expect(error.code == .quotaExceeded)
    #expect(try await endless(fixture).0 <= 500, "the bytes beyond are not taken")
    _ = try await fixture.upload(bytes(400), to: ticket)
    #expect(
      try await ruleFailure { try await fixture.upload(bytes(1), to: ticket) }.code
        == .quotaExceeded)
  }

  @Test func `uploads that no save uses have a maximum in number`() async throws {
    let fixture = try await AssetFixture { $0.pendingUploadsPerUser = 2 }
    for _ in 0..<2 { _ = try await fixture.upload(bytes(1)) }
    #expect(try await ruleFailure { try await fixture.upload(bytes(1)) }.code == .quotaExceeded)
  }

  @Test func `a save, a failure and time make room again`() async throws {
    let fixture = try await AssetFixture { $0.pendingUploadBytesPerUser = 1000 }
    try await fixture.save(fixture.upload(bytes(1000)))
    _ = try await endless(fixture)
    _ = try await fixture.upload(bytes(1000))
    fixture.clock.advance(by: fixture.limits.assetReceiptLifetime)
    _ = try await fixture.upload(bytes(1000))
  }

  @Test(arguments: [true, false])
  func `an upload ends with the receipt's life, as its room is counted no longer`(
    lasts: Bool
  ) async throws {
    let fixture = try await AssetFixture()
    let (ticket, life) = (try await fixture.ticket(), fixture.limits.assetReceiptLifetime)
    var asked = 0
    func upload() async throws -> Asset {
      try await fixture.engine.assetUploads.receive(ticket.ticket) {
        asked += 1
        if asked == 2 { fixture.clock.advance(by: lasts ? life : life - 1) }
        return asked <= 4 ? bytes(100)[...] : nil
      }
    }
    if lasts {
      let error = try await ruleFailure { try await upload() }
      #expect(error.code == .tryAgainLater && error.reason.contains("took too long"))
    } else {
      _ = try await upload()
    }
    #expect(asked == (lasts ? 2 : 5), "no byte is taken after it")
    #expect(try await fixture.objects() == (lasts ? 0 : 1), "nor are those kept that came")
  }

  @Test func `an upload whose last byte comes after the receipt's life is not kept`() async throws {
    let fixture = try await AssetFixture()
    let (ticket, life) = (try await fixture.ticket(), fixture.limits.assetReceiptLifetime)
    var rest = bytes(10)[...]
    let error = try await ruleFailure {
      try await fixture.engine.assetUploads.receive(ticket.ticket) {
        defer { rest = [] }
        if !rest.isEmpty { return rest }
        fixture.clock.advance(by: life)
        return nil
      }
    }
    #expect(error.code == .tryAgainLater)
    #expect(try await fixture.objects() == 0)
  }

  @Test func `an upload of a user who is deleted meanwhile is refused, and nothing stays of it`()
    async throws
  {
    let fixture = try await AssetFixture()
    let user = try #require(fixture.fixture.phone.user)
    let (ticket, broken) = (try await fixture.ticket("one"), try await fixture.ticket("two"))
    var rest = bytes(10)[...]
    let refused = try await ruleFailure {
      try await fixture.engine.assetUploads.receive(ticket.ticket) {
        if rest.isEmpty { return nil }
        defer { rest = [] }
        // One that breaks off at the same time.
        await #expect(throws: CancellationError.self) {
          _ = try await fixture.engine.assetUploads.receive(broken.ticket) {
            _ = try await fixture.engine.userRemovals.remove("alice")
            throw CancellationError()
          }
        }
        return rest
      }
    }
    #expect(refused.code == .accessDenied && refused.reason.contains("is deleted"))
    let later = try await ruleFailure { try await fixture.upload(bytes(10), to: ticket) }
    #expect(later == refused)
    let left = try await fixture.fixture.server.store.read {
      try $0.settings.value(.pendingUploads(user))
    }
    #expect(left == nil)
    _ = try await fixture.sweep()
    #expect(try await fixture.objects() == 0)
  }

  @Test func `what is announced is reserved before a byte comes, also for uploads at once`()
    async throws
  {
    let fixture = try await AssetFixture { $0.pendingUploadBytesPerUser = 1000 }
    let ticket = try await fixture.ticket()
    var inner: BrumeError?
    var rest = bytes(600)[...]
    _ = try await fixture.engine.assetUploads.receive(ticket.ticket, announced: 600) {
      if inner == nil {
        inner = try await ruleFailure {
          try await fixture.engine.assetUploads.receive(ticket.ticket, announced: 600) {
            Issue.record("a byte was asked for")
            return nil
          }
        }
      }
      defer { rest = [] }
      return rest.isEmpty ? nil : rest
    }
    #expect(inner?.code == .quotaExceeded)
  }

  @Test func `a chunked upload takes its user's room until it is whole, and nobody else's`()
    async throws
  {
    let fixture = try await AssetFixture { $0.pendingUploadBytesPerUser = 1000 }
    let bob = fixture.fixture.bob
    try await fixture.fixture.makeZone(EngineFixture.trails, as: bob)
    let (own, others) = (try await fixture.ticket(), try await fixture.ticket(as: bob))
    var refused: BrumeError?
    var rest = bytes(600)[...]
    _ = try await fixture.engine.assetUploads.receive(own.ticket) {
      if refused == nil {
        refused = try await ruleFailure { try await fixture.upload(bytes(1), to: own) }
        _ = try await fixture.upload(bytes(1000), to: others)
      }
      defer { rest = [] }
      return rest.isEmpty ? nil : rest
    }
    #expect(refused?.code == .quotaExceeded)
    _ = try await fixture.upload(bytes(400), to: own)
  }

  @Test func `an upload that the owner's quota has no room for is refused before its save`()
    async throws
  {
    let fixture = try await AssetFixture { $0.storageBytesPerUser = 2000 }
    try await fixture.save(fixture.upload(bytes(1000)))
    let (written, error) = try await endless(fixture)
    #expect(error.code == .quotaExceeded && written <= 1100)
    #expect(try await endless(fixture, announced: 5000).0 == 0)
    _ = try await fixture.upload(bytes(500))
    #expect(try await ruleFailure { try await fixture.upload(bytes(900)) }.code == .quotaExceeded)
  }

  @Test func `receipts for files of other records count as uploads until a save uses them`()
    async throws
  {
    let fixture = try await AssetFixture { $0.pendingUploadsPerUser = 2 }
    try await fixture.save(fixture.upload(bytes(10)))
    let photo = AssetField(recordName: "one", fieldName: "photo")
    let request = AssetRereferenceRequest(zone: EngineFixture.trails, assets: [photo])
    let phone = fixture.fixture.phone
    let ids = try await fixture.engine.assetExports.make(request, in: .private, as: phone)
    let cover = AssetField(recordName: "two", fieldName: "cover")
    let taking = AssetImportRequest(
      zone: EngineFixture.trails,
      assets: [.init(field: cover, exported: try #require(ids.first).get())])
    func rereference() async throws -> [AssetResult] {
      try await fixture.engine.assetRereferences.make(request, in: .private, as: phone)
    }
    func take() async throws -> [AssetResult] {
      try await fixture.engine.assetExports.take(taking, in: .private, as: phone)
    }
    let taken = try #require(try await take().first).get()
    _ = try await rereference()
    #expect(try await ruleFailure { try await rereference() }.code == .quotaExceeded)
    #expect(try await ruleFailure { try await take() }.code == .quotaExceeded)
    #expect(try await ruleFailure { try await fixture.upload(bytes(1)) }.code == .quotaExceeded)
    try await fixture.save(taken, in: "two", "cover")
    _ = try await rereference()
    fixture.clock.advance(by: fixture.limits.assetReceiptLifetime)
    _ = try await take()
  }
}
