// Uploads, receipts and saves, on the rules.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

/// A fixture with the few steps around an asset.
struct AssetFixture: Sendable {
  let fixture: EngineFixture
  var engine: Engine { fixture.engine }
  var clock: ManualClock { fixture.server.clock }
  let limits: Limits

  init(_ adjust: (inout Limits) -> Void = { _ in }) async throws {
    var limits = Limits.apple
    adjust(&limits)
    self.limits = limits
    fixture = try await EngineFixture(limits: limits)
  }

  func ticket(
    _ record: String? = "one", _ field: String = "photo", zone: ZoneID? = EngineFixture.trails,
    in scope: DatabaseScope = .private, as caller: Caller? = nil
  ) async throws -> AssetUploadTicket {
    let request = AssetUploadRequest(
      zone: zone, files: [.init(recordType: "Trail", fieldName: field, recordName: record)])
    return try #require(
      try await engine.uploadTickets.issue(request, in: scope, as: caller ?? fixture.phone).first)
  }

  func upload(_ bytes: [UInt8], to ticket: AssetUploadTicket) async throws -> Asset {
    var rest = bytes[...]
    return try await engine.assetUploads.receive(ticket.ticket) {
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(1000) }
      return rest.prefix(1000)
    }
  }

  func upload(
    _ bytes: [UInt8], for record: String = "one", _ field: String = "photo"
  ) async throws -> Asset {
    try await upload(bytes, to: ticket(record, field))
  }

  func operation(
    _ kind: RecordOperation.Kind = .forceUpdate, _ record: String = "one",
    _ field: String = "photo",
    _ value: FieldValue?
  ) -> RecordOperation {
    RecordOperation(
      kind, RecordDraft(name: record, type: "Trail", fields: [field: DraftField(value)]))
  }

  @discardableResult
  func save(
    _ asset: Asset, in record: String = "one", _ field: String = "photo"
  ) async throws -> Record {
    try await fixture.save(operation(.forceUpdate, record, field, .asset(asset)))
  }

  func refusal(
    of asset: Asset, in record: String = "one", _ field: String = "photo", as caller: Caller? = nil
  ) async throws -> BrumeError {
    try await fixture.failure(
      of: operation(.forceUpdate, record, field, .asset(asset)), as: caller)
  }

  /// The file's content, by the address that a reader gets.
  func content(_ asset: Asset) async throws -> [UInt8] {
    let (file, _) = try await engine.assetDownloads.open(engine.assetDownloads.token(for: asset))
    var bytes: [UInt8] = []
    try await engine.assetDownloads.read(file, 0..<file.size) { bytes += $0 }
    return bytes
  }

  func objects() async throws -> Int { try await engine.assetCheck.run(limit: 10).objects }
}

@Suite struct AssetTests {
  static let photo = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }

  @Test func `an uploaded file is saved with its record and comes back (FET-08)`() async throws {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload(Self.photo)
    #expect(uploaded.size == 5000 && uploaded.receipt != nil)
    let saved = try await assets.save(uploaded)
    let expected = Asset(fileChecksum: uploaded.fileChecksum, size: 5000)
    #expect(saved.fields["photo"] == .asset(expected))
    #expect(try await assets.fixture.fetch("one").fields["photo"] == .asset(expected))
    #expect(try await assets.content(expected) == Self.photo)
  }

  @Test func `tokens come in request order, each with a record name`() async throws {
    let assets = try await AssetFixture()
    let files = ["b", nil, "a"].map {
      AssetUploadRequest.File(recordType: "Trail", fieldName: "photo", recordName: $0)
    }
    let tickets = try await assets.engine.uploadTickets.issue(
      AssetUploadRequest(zone: EngineFixture.trails, files: files), in: .private,
      as: assets.fixture.phone)
    #expect(tickets.map(\.recordName)[0] == "b" && tickets.map(\.recordName)[2] == "a")
    #expect(tickets[1].recordName.count == 36)
  }

  @Test func `more than 200 tokens, missing zones and impossible names are refused`() async throws {
    let assets = try await AssetFixture()
    func refused(_ request: AssetUploadRequest) async -> BrumeError.Code? {
      do {
        _ = try await assets.engine.uploadTickets.issue(
          request, in: .private, as: assets.fixture.phone)
        return nil
      } catch { return (error as? BrumeError)?.code }
    }
    let file = AssetUploadRequest.File(recordType: "Trail", fieldName: "photo", recordName: "a")
    #expect(
      await refused(.init(zone: EngineFixture.trails, files: Array(repeating: file, count: 200)))
        == nil)
    #expect(
      await refused(.init(zone: EngineFixture.trails, files: Array(repeating: file, count: 201)))
        == .limitExceeded)
    #expect(await refused(.init(zone: ZoneID(name: "None"), files: [file])) == .zoneNotFound)
    let odd = AssetUploadRequest.File(recordType: "Trail", fieldName: "1 photo", recordName: "a")
    #expect(await refused(.init(zone: EngineFixture.trails, files: [odd])) == .badRequest)
  }

  @Test(arguments: [SharePermission.readOnly, .readWrite])
  func `a participant gets upload addresses only where he may write (SHR-13)`(
    permission: SharePermission
  ) async throws {
    let assets = try await AssetFixture()
    let fixture = assets.fixture
    let (_, share) = try await fixture.shareHike(with: "bob", permission)
    try await fixture.join(share, as: fixture.bob)
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    do {
      _ = try await assets.ticket(zone: zone, in: .shared, as: fixture.bob)
      #expect(permission == .readWrite)
    } catch let error as BrumeError {
      #expect(error.code == .accessDenied && permission == .readOnly)
    }
  }

  @Test func `a file at the limit is taken and one byte more is not`() async throws {
    let assets = try await AssetFixture { $0.assetBytes = 5000 }
    _ = try await assets.upload(Self.photo)
    await #expect(throws: BrumeError.self) { _ = try await assets.upload(Self.photo + [1]) }
    // What was cut off is not kept.
    #expect(try await assets.objects() == 1)
  }

  @Test func `an upload address ends after fifteen minutes`() async throws {
    let assets = try await AssetFixture()
    let ticket = try await assets.ticket()
    assets.clock.advance(by: 15 * 60_000 - 1)
    _ = try await assets.upload([1], to: ticket)
    assets.clock.advance(by: 1)
    await #expect(throws: BrumeError.self) { _ = try await assets.upload([1], to: ticket) }
    var forged = ticket
    forged.ticket = String(ticket.ticket.dropLast()) + (ticket.ticket.hasSuffix("A") ? "B" : "A")
    await #expect(throws: BrumeError.self) { _ = try await assets.upload([1], to: forged) }
  }

  // MARK: Receipts

  @Test func `a receipt is good for its record and field only`() async throws {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload([1, 2, 3])
    let elsewhere = try await assets.refusal(of: uploaded, in: "two")
    #expect(elsewhere.code == .badRequest && elsewhere.reason.contains("photo"))
    #expect(elsewhere.reason.contains("'recordName'"), "\(elsewhere.reason)")
    let other = try await assets.refusal(of: uploaded, "other")
    #expect(other.code == .badRequest && other.reason.contains("other"))
    #expect(other.reason.contains("ask assets/upload with this 'fieldName'"), "\(other.reason)")
    // None of that used it up.
    try await assets.save(uploaded)
  }

  @Test func `a receipt works once`() async throws {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload([1, 2, 3])
    try await assets.save(uploaded)
    let again = try await assets.refusal(of: uploaded)
    #expect(again.code == .receiptExpired && again.reason.contains("photo"))
  }

  @Test func `of fifty saves with one receipt one succeeds`() async throws {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload([1, 2, 3])
    let operation = assets.operation(.asset(uploaded))
    let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask { try await assets.fixture.modify([operation]).first?.error == nil }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(wins == 1)
  }

  @Test func `a receipt of a failed save stays good`() async throws {
    let assets = try await AssetFixture()
    try await assets.fixture.save(assets.operation(.create, "one", "title", .string("x")))
    let uploaded = try await assets.upload([1, 2, 3])
    let failed = try await assets.fixture.failure(
      of: assets.operation(.create, "one", "photo", .asset(uploaded)))
    #expect(failed.code == .conflict)
    try await assets.save(uploaded)
  }

  @Test func `an expired receipt is refused`() async throws {
    let assets = try await AssetFixture()
    let (uploaded, other) = (try await assets.upload([1, 2, 3]), try await assets.upload([4]))
    assets.clock.advance(by: 3_600_000 - 1)
    try await assets.save(other)
    assets.clock.advance(by: 1)
    let error = try await assets.refusal(of: uploaded)
    #expect(error.code == .receiptExpired && error.reason.contains("expired"))
  }

  @Test func `so is one whose upload was forgotten before, by a server that keeps them for less`()
    async throws
  {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload([1, 2, 3])
    let store = assets.fixture.server.store
    try await store.write(in: .all) { transaction in
      for upload in try transaction.assets.uploads(begunBy: assets.clock.now, limit: 10) {
        try transaction.assets.removeUpload(upload.id)
      }
    }
    #expect(try await assets.refusal(of: uploaded).code == .receiptExpired)
  }

  @Test func `what came to nothing for want of files is a first try when it comes again`()
    async throws
  {
    let assets = try await AssetFixture()
    func save(_ file: Asset) async throws -> [RecordResult] {
      try await assets.fixture.modify(
        [assets.operation(.create, "one", "photo", .asset(file)), .create("two")], atomic: true,
        id: "op-1")
    }
    let late = try await assets.upload([1, 2, 3])
    assets.clock.advance(by: assets.limits.assetReceiptLifetime)
    #expect(try await save(late).codes == [.receiptExpired, .atomicError])
    #expect(try await save(try await assets.upload([1, 2, 3])).allSucceeded)
  }

  @Test func `another user's receipt is refused, and one that nobody gave`() async throws {
    let assets = try await AssetFixture()
    let ticket = try await assets.ticket("one", "photo", zone: nil, in: .public)
    let uploaded = try await assets.upload([1], to: ticket)
    let operation = assets.operation(.create, "one", "photo", .asset(uploaded))
    let foreign = try await assets.fixture.failure(
      of: operation, in: .public, as: assets.fixture.bob)
    #expect(foreign.code == .badRequest && foreign.reason.contains("another user"))
    var forged = uploaded
    forged.receipt = "QUJD"
    #expect(try await assets.refusal(of: forged).code == .badRequest)
    var swapped = try await assets.upload([1])
    swapped.fileChecksum = try await assets.upload([2]).fileChecksum
    #expect(try await assets.refusal(of: swapped).code == .badRequest)
  }

  // MARK: Values that are sent back

  @Test func `a value that is sent back without a receipt leaves the field as it is`() async throws
  {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload([1, 2, 3])
    let saved = try await assets.save(uploaded)
    var read = Asset(fileChecksum: uploaded.fileChecksum, size: 99)
    read.downloadURL = "http://elsewhere/"
    let again = try await assets.save(read)
    #expect(again.fields == saved.fields)
  }

  @Test func `a value without a receipt is refused where the field does not hold it`() async throws
  {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload([1, 2, 3])
    try await assets.save(uploaded)
    let bare = Asset(fileChecksum: uploaded.fileChecksum, size: 3)
    #expect(try await assets.refusal(of: bare, in: "two").code == .badRequest)
    #expect(try await assets.refusal(of: bare, "other").code == .badRequest)
    #expect(
      try await assets.refusal(of: Asset(fileChecksum: "AAAA", size: 3)).code == .badRequest)
  }

  @Test func `a list takes a receipt for each new file and keeps the others`() async throws {
    let assets = try await AssetFixture()
    let files = [
      try await assets.upload([1], for: "one", "album"),
      try await assets.upload([2], for: "one", "album"),
    ]
    try await assets.fixture.save(
      assets.operation(.create, "one", "album", .list(files.map { .asset($0) }, of: .asset)))
    let third = try await assets.upload([3], for: "one", "album")
    let kept = Asset(fileChecksum: files[1].fileChecksum, size: 1)
    let saved = try await assets.fixture.save(
      assets.operation(
        .forceUpdate, "one", "album", .list([.asset(third), .asset(kept)], of: .asset)))
    let expected = Asset(fileChecksum: third.fileChecksum, size: 1)
    #expect(saved.fields["album"] == .list([.asset(expected), .asset(kept)], of: .asset))
    let twice = try await assets.upload([4], for: "one", "album")
    let error = try await assets.fixture.failure(
      of: assets.operation(
        .forceUpdate, "one", "album", .list([.asset(twice), .asset(twice)], of: .asset)))
    #expect(error.code == .receiptExpired)
  }

  @Test func `a list that does not say what it holds takes receipts as one of assets does`()
    async throws
  {
    let assets = try await AssetFixture()
    let file = try await assets.upload([1, 2, 3], for: "one", "album")

    let saved = try await assets.fixture.save(
      assets.operation(.create, "one", "album", .list([.asset(file)], of: nil)))
    let other = try await assets.fixture.failure(
      of: assets.operation(.create, "two", "album", .list([.asset(file)], of: nil)))

    let kept = Asset(fileChecksum: file.fileChecksum, size: file.size)
    #expect(saved.fields["album"] == .list([.asset(kept)], of: .asset))
    #expect(other.code == .badRequest)
  }

  @Test func `assets do not count against a record's size`() async throws {
    let assets = try await AssetFixture { $0.recordBytes = 100 }
    try await assets.save(try await assets.upload(Self.photo))
  }

  @Test func `a rereferenced file is saved in another record without an upload`() async throws {
    let assets = try await AssetFixture()
    try await assets.save(try await assets.upload(Self.photo))
    let request = AssetRereferenceRequest(
      zone: EngineFixture.trails,
      assets: [
        .init(recordName: "one", fieldName: "photo"), .init(recordName: "one", fieldName: "none"),
        .init(recordName: "nobody", fieldName: "photo"),
      ])
    let results = try await assets.engine.assetRereferences.make(
      request, in: .private, as: assets.fixture.phone)
    let asset = try #require(results.first).get()
    try await assets.save(asset, in: "two", "cover")
    #expect(try await assets.refusal(of: asset, in: "three").code == .receiptExpired)
    #expect(try await assets.objects() == 1)
    #expect(results[1].error?.code == .badRequest && results[2].error?.code == .notFound)
    let foreign = try await assets.engine.assetRereferences.make(
      AssetRereferenceRequest(assets: request.assets), in: .private, as: assets.fixture.bob)
    #expect(foreign.allSatisfy { $0.error?.code == .notFound })
  }

  @Test func `an address is good for its hours and then no more`() async throws {
    let assets = try await AssetFixture()
    let uploaded = try await assets.upload([1, 2, 3])
    try await assets.save(uploaded)
    let downloads = assets.engine.assetDownloads
    // An address lasts to the end of a minute: these are made at the beginning of one, and in its last millisecond.
    let early = downloads.token(for: uploaded)
    assets.clock.advance(by: 60_000 - 1)
    let late = downloads.token(for: uploaded)
    assets.clock.advance(by: 4 * 3_600_000)
    for token in [early, late] { _ = try await downloads.open(token) }
    assets.clock.advance(by: 1)
    for token in [early, late] {
      await #expect(throws: BrumeError.self) { _ = try await downloads.open(token) }
    }
    await #expect(throws: BrumeError.self) {
      _ = try await assets.engine.assetDownloads.open("AAAA")
    }
  }
}

extension AssetFixture {
  fileprivate func operation(_ value: FieldValue) -> RecordOperation {
    operation(.forceUpdate, "one", "photo", value)
  }
}

extension Result where Failure == ItemFailure<AssetField> {
  var error: BrumeError? {
    if case .failure(let failure) = self { failure.error } else { nil }
  }
}
