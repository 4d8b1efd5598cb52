// Bounds that no other file of this target tries, each at the last that may be and at the next.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

struct BoundTests {
  private func fixture(_ change: (inout Limits) -> Void) async throws -> EngineFixture {
    var limits = Limits.apple
    change(&limits)
    return try await EngineFixture(limits: limits)
  }

  @Test func `what a client wants to recognise its save by has a maximum of bytes`() async throws {
    let fixture = try await fixture { $0.clientDataBytes = 3 }
    func save(_ bytes: Int) async throws {
      _ = try await fixture.engine.records.modify(
        .init(
          zone: EngineFixture.trails, operations: [.force("a")],
          clientData: [UInt8](repeating: 1, count: bytes)), in: .private, as: fixture.phone)
    }
    try await save(3)
    #expect(try await ruleFailure { try await save(4) }.code == .badRequest)
  }

  @Test func `a zone recognises the last saves of so many devices`() async throws {
    let fixture = try await fixture { $0.clientDataDevices = 3 }
    let most = 3
    func device(_ number: Int) async throws -> Caller {
      try await fixture.server.device("d\(number)", of: "alice")
    }
    func recalled(_ number: Int) async throws -> [UInt8]? {
      try await fixture.changes(as: device(number)).clientData
    }
    for number in 0...most {
      if number == most { #expect(try await recalled(0) == [0], "so many are remembered") }
      _ = try await fixture.engine.records.modify(
        .init(
          zone: EngineFixture.trails, operations: [.force("a")], clientData: [UInt8(number)]),
        in: .private, as: device(number))
    }
    #expect(try await recalled(0) == nil, "the longest unused went")
    #expect(try await recalled(1) == [1])
  }

  @Test func `the texts of a push have a maximum of bytes`() async throws {
    let fixture = try await fixture { $0.notificationInfoBytes = 20 }
    func save(_ bytes: Int) async throws -> BrumeError.Code? {
      var info = NotificationInfo()
      // Each text counts one byte more.
      info.alert = .init(literal: String(repeating: "x", count: bytes - 1))
      let subscription = Subscription(
        id: "s", kind: .zone(EngineFixture.trails, recordType: nil), info: info)
      return try await fixture.engine.subscriptions.modify(
        [.save(subscription)], in: .private, as: fixture.phone
      ).first?.failure?.error.code
    }
    #expect(try await save(20) == nil)
    #expect(try await save(21) == .limitExceeded)
  }

  @Test(arguments: [\NotificationInfo.alert, \.title, \.subtitle])
  func `a text of a push names at most 32 fields`(
    text: WritableKeyPath<NotificationInfo, NotificationInfo.Text> & Sendable
  ) async throws {
    let fixture = try await EngineFixture()
    func save(_ count: Int) async throws -> BrumeError? {
      var info = NotificationInfo()
      info[keyPath: text].localizationArgs = Array(repeating: "title", count: count)
      let subscription = Subscription(
        id: "s", kind: .zone(EngineFixture.trails, recordType: nil), info: info)
      return try await fixture.engine.subscriptions.modify(
        [.save(subscription)], in: .private, as: fixture.phone
      ).first?.failure?.error
    }
    #expect(try await save(32) == nil)
    let error = try await save(33)
    #expect(error?.code == .limitExceeded)
    #expect(error?.reason.contains("' names 33 fields; the maximum is 32") == true)
  }

  @Test func `a list holds so many assets`() async throws {
    let fixture = try await fixture { $0.assetsPerField = 2 }
    func failure(_ count: Int) async throws -> BrumeError.Code {
      let asset = FieldValue.asset(Asset(fileChecksum: "c", size: 1))
      let list = FieldValue.list(Array(repeating: asset, count: count), of: .asset)
      return try await fixture.failure(of: .create("a", ["files": list])).code
    }
    // Without receipts none of them can be saved; what is asked first is how many there are.
    #expect(try await failure(2) != .limitExceeded)
    #expect(try await failure(3) == .limitExceeded)
  }

  @Test func `one answer looks at so many changes and leaves the rest to the next`() async throws {
    let fixture = try await fixture { $0.changesLookedAt = 3 }
    for number in 0..<3 { try await fixture.save(.create("r\(number)")) }
    let whole = try await fixture.changes()
    #expect(whole.changes.count == 3 && !whole.moreComing)
    try await fixture.save(.create("r3"))
    let part = try await fixture.changes()
    #expect(part.changes.count == 3 && part.moreComing)
    let rest = try await fixture.changes(since: part.token)
    #expect(rest.changes.count == 1 && !rest.moreComing)
  }

  /// A zone of Alice's of whose records Bob sees those below "root", and his token of now.
  private func sharedInPart(_ change: (inout Limits) -> Void) async throws -> (
    EngineFixture, String
  ) {
    let fixture = try await fixture(change)
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    return (fixture, try await pages(fixture).token)
  }

  /// What Bob gets until nothing more comes, by pages, and his token afterwards.
  private func pages(
    _ fixture: EngineFixture, since token: String? = nil
  ) async throws -> (pages: [[String]], token: String) {
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    var (pages, token, moreComing) = ([[String]](), token, true)
    while moreComing, pages.count < 20 {
      let page = try await fixture.changes(since: token, zone: zone, in: .shared, as: fixture.bob)
      pages.append(page.summary)
      (token, moreComing) = (page.token, page.moreComing)
    }
    return (pages, try #require(token))
  }

  @Test func `one answer reads twice as many bytes as it may hold, hidden or not`() async throws {
    let (fixture, token) = try await sharedInPart { $0.answerBytes = 3000 }
    let large = FieldValue.string(String(repeating: "x", count: 2000))
    for number in 0..<6 { try await fixture.save(.create("h\(number)", ["t": large])) }
    try await fixture.save(.create("child", parent: "root"))
    let pages = try await pages(fixture, since: token).pages
    #expect(pages.count == 3 && pages.first == [] && pages.joined().elementsEqual(["+child"]))
  }

  @Test func `what is read above a change counts among what an answer reads`() async throws {
    let (fixture, token) = try await sharedInPart { $0.answerBytes = 3000 }
    let large = FieldValue.string(String(repeating: "x", count: 2000))
    for number in 0..<6 {
      try await fixture.save(.create("p\(number)", ["t": large]))
    }
    let behind = try await self.pages(fixture, since: token).token
    for number in 0..<6 { try await fixture.save(.create("c\(number)", parent: "p\(number)")) }
    try await fixture.save(.create("child", parent: "root"))
    let pages = try await pages(fixture, since: behind).pages
    #expect(pages.count > 1 && pages.first == [] && pages.joined().elementsEqual(["+child"]))
  }

  @Test func `what is above changes is read once for a page, however much it is`() async throws {
    let (fixture, token) = try await sharedInPart { $0.answerBytes = 3000 }
    let large = FieldValue.string(String(repeating: "x", count: 2000))
    for number in 0..<4 {
      let parent = number == 0 ? "root" : "p\(number - 1)"
      try await fixture.save(.create("p\(number)", ["t": large], parent: parent))
    }
    let behind = try await self.pages(fixture, since: token).token
    let children = (0..<5).map { "c\($0)" }
    for child in children { try await fixture.save(.create(child, parent: "p3")) }
    let pages = try await pages(fixture, since: behind).pages
    #expect(pages == [children.map { "+\($0)" }])
  }

  @Test func `a sorted query looks at so many records, and says what to do with more`()
    async throws
  {
    let fixture = try await fixture { $0.sortedCandidates = 3 }
    func found(_ filters: [Filter] = [], sorts: [Sort]) async throws -> Int {
      try await fixture.engine.queries.run(
        .init(
          query: Query(recordType: "Hike", filters: filters, sorts: sorts),
          zone: EngineFixture.trails, limit: nil, marker: nil), in: .private, as: fixture.phone
      ).records.count
    }
    let sorts = [Sort(.field("km"))]
    for number in 0..<3 { try await fixture.save(.create("r\(number)", ["km": .int64(1)])) }
    #expect(try await found(sorts: sorts) == 3)
    try await fixture.save(.create("r3", ["km": .int64(2)]))
    let error = try await ruleFailure { try await found(sorts: sorts) }
    #expect(error.code == .limitExceeded)
    for words in ["'Hike'", "3 records", "leave 'sortBy' out"] {
      #expect(error.reason.contains(words))
    }
    #expect(try await found(sorts: []) == 4)
  }

  @Test func `a participant with whom too much is shared gets no query, but advice`()
    async throws
  {
    // The share, its root and one child.
    let fixture = try await fixture { $0.sharedRecordsPerQuery = 3 }
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    func found() async throws -> Int {
      try await fixture.engine.queries.run(
        .init(
          query: Query(recordType: "Hike", filters: [], sorts: []), zone: zone, limit: nil,
          marker: nil), in: .shared, as: fixture.bob
      ).records.count
    }
    try await fixture.save(.create("c1", parent: "root"))
    #expect(try await found() == 2)
    try await fixture.save(.create("c2", parent: "root"))
    let error = try await ruleFailure { try await found() }
    #expect(error.code == .limitExceeded && error.reason.contains("changes"))
  }

  @Test func `so many records are counted for one answer about what is stored`() async throws {
    let fixture = try await fixture { $0.sizedRecords = 3 }
    let store = fixture.server.store
    let alice = try #require(try await store.read { try $0.users.find(named: "alice") })
    func size() async throws -> StoredSize {
      try #require(try await fixture.engine.storageReports.report(on: alice).users.first).size
    }
    for number in 0..<2 { try await fixture.save(.create("r\(number)")) }
    let whole = try await size()
    #expect(whole.records == 2 && whole.isWhole)
    for number in 2..<4 { try await fixture.save(.create("r\(number)")) }
    let part = try await size()
    #expect(part.records == 3 && !part.isWhole)
  }

  @Test func `so many indexes are counted, and others not`() {
    let uses = IndexUses(since: 0, capacity: 2)
    for field in ["a", "b", "c"] {
      uses.noteUsed([IndexName(type: "T", field: field, index: "q")], in: TestContainer.development)
    }
    uses.noteUsed([IndexName(type: "T", field: "a", index: "q")], in: TestContainer.development)
    let counted = uses.all(in: TestContainer.development)
    #expect(counted.map(\.used) == [2, 1])
  }

  @Test func `an address to upload to is good for a quarter of an hour`() async throws {
    let assets = try await AssetFixture()
    let ticket = try await assets.ticket("one")
    let other = try await assets.ticket("two")
    assets.clock.advance(by: 15 * 60_000 - 1)
    _ = try await assets.upload([1], to: ticket)
    assets.clock.advance(by: 1)
    _ = try await ruleFailure { try await assets.upload([1], to: other) }
  }

  @Test func `a server has so many admin tokens`() async throws {
    let fixture = try await fixture { $0.adminTokens = 1 }
    func create(_ name: String) async throws {
      _ = try await fixture.engine.adminTokens.create(
        name: name, role: .full, days: nil, by: .owner)
    }
    try await create("one")
    #expect(try await ruleFailure { try await create("two") }.code == .limitExceeded)
  }

  @Test func `the outcome of a request is remembered for a day`() async throws {
    let fixture = try await EngineFixture()
    let create = [RecordOperation.create("h1")]
    _ = try await fixture.modify(create, id: "op")
    fixture.server.clock.advance(by: 86_400_000 - 1)
    #expect(try await fixture.modify(create, id: "op").codes == [nil])
    fixture.server.clock.advance(by: 1)
    #expect(try await fixture.modify(create, id: "op").codes == [.conflict])
  }

  @Test func `the audit log keeps so many lines, so many refusals, and for so long`() async throws {
    let fixture = try await fixture {
      $0.auditLines = 4
      $0.auditRefusals = 2
      $0.auditPage = 3
    }
    let audit = fixture.engine.audit
    func act(_ number: Int) -> Audit.Act {
      Audit.Act(operatorName: "o", address: "a", requestID: "r\(number)", action: "users")
    }
    func lines() async throws -> [String] {
      let first = try await audit.page(AuditFilter(), before: nil, limit: 100)
      #expect(first.entries.count <= 3, "a page")
      guard let next = first.next else { return first.entries.map(\.requestID) }
      let second = try await audit.page(AuditFilter(), before: next, limit: 100)
      return (first.entries + second.entries).map(\.requestID)
    }
    for number in 0..<3 { try await audit.refused(act(number), status: 403) }
    #expect(try await lines() == ["r2", "r1"])
    for number in 3..<7 { try await audit.begin(act(number)) }
    #expect(try await lines() == ["r6", "r5", "r4", "r3", "r2", "r1"])
    try await audit.begin(act(7))
    #expect(try await lines() == ["r7", "r6", "r5", "r4", "r2", "r1"])
    fixture.server.clock.advance(by: 365 * 86_400_000)
    try await audit.begin(act(8))
    #expect(try await lines() == ["r8", "r7", "r6", "r5", "r2", "r1"])
    fixture.server.clock.advance(by: 1)
    try await audit.begin(act(9))
    #expect(try await lines() == ["r9", "r8"])
  }

  @Test func `a courier token brings the notifications of so many containers`() async throws {
    let fixture = try await fixture { $0.containersPerCourierToken = 2 }
    let devices = fixture.engine.devices
    let token = try await devices.createCourierToken(
      environment: .development, clientID: "tab", as: fixture.phone)
    func register(_ container: String) async throws {
      let containerEnvironment = ContainerEnvironment(ContainerID(container), .development)
      let caller = Caller(
        in: containerEnvironment, user: fixture.phone.user, device: fixture.phone.device,
        kind: .user,
        requestID: "r")
      try await devices.registerToken(
        token, environment: .development, clientID: nil, as: caller)
    }
    try await register("iCloud.org.example.second")
    let error = try await ruleFailure { try await register("iCloud.org.example.third") }
    #expect(error.code == .badRequest && error.reason.contains("2 containers"))
  }

  @Test func `a web origin and an address to return to have a maximum of bytes`() async throws {
    let fixture = try await fixture {
      $0.originBytes = 20
      $0.callbackBytes = 30
    }
    func create(_ text: String, isCallback: Bool) async throws -> BrumeError.Code? {
      do {
        _ = try await fixture.engine.apiTokens.create(
          name: "t", in: TestContainer.development, allowedOrigins: isCallback ? nil : [text],
          callback: isCallback ? text : nil)
        return nil
      } catch let error as BrumeError { return error.code }
    }
    let origin = "https://a.example.or"
    #expect(try await create(origin, isCallback: false) == nil)
    #expect(try await create(origin + "g", isCallback: false) == .badRequest)
    let callback = "https://a.example.org/23456789"
    #expect(try await create(callback, isCallback: true) == nil)
    #expect(try await create(callback + "0", isCallback: true) == .badRequest)
  }

  @Test(arguments: [
    (false, 30 * 60_000), (true, 14 * 86_400_000),
  ])
  func `a sign-in lasts half an hour, or two weeks for who stays signed in`(
    keep: Bool, lifetime: Milliseconds
  ) async throws {
    let fixture = try await EngineFixture()
    let api = try await fixture.engine.apiTokens.create(name: "t", in: TestContainer.development)
    let web = try await fixture.webToken(keep: keep)
    let credentials = Credentials(
      in: TestContainer.development, apiToken: api.token, webAuthToken: web, requestID: "r")
    fixture.server.clock.advance(by: lifetime - 1)
    #expect(try await fixture.engine.authentication.authenticate(credentials).kind == .user)
    fixture.server.clock.advance(by: 1)
    let error = try await ruleFailure {
      try await fixture.engine.authentication.authenticate(credentials)
    }
    #expect(error.code == .authenticationRequired)
  }

  @Test func `a sealed text that is longer than any is not looked at`() {
    let text = Seal(secret: [1]).text([1, 2, 3], for: .changeToken)
    func opened(upTo bytes: Int) -> [UInt8]? {
      var limits = Limits.apple
      limits.sealedBytes = bytes
      return Seal(secret: [1], limits: limits).payload(of: text, for: .changeToken)
    }
    #expect(opened(upTo: text.utf8.count) == [1, 2, 3])
    #expect(opened(upTo: text.utf8.count - 1) == nil)
  }

  @Test func `a push address has a maximum of bytes`() async throws {
    let fixture = try await fixture { $0.pushURLBytes = 20 }
    func reason(_ bytes: Int) async throws -> String {
      let endpoint = "https://" + String(repeating: "a", count: bytes - 8)
      // The address is what is asked first; these are no keys.
      let target = WebPushTarget(endpoint: endpoint, key: [], secret: [])
      return try await ruleFailure {
        try await fixture.engine.webPush.register(target, clientID: nil, as: fixture.phone)
      }.reason
    }
    #expect(try await !reason(20).contains("longer than"))
    #expect(try await reason(21).contains("longer than 20 bytes"))
  }

  @Test func `so many may wait for access to a share`() {
    var limits = Limits.apple
    limits.accessRequests = 1
    var share = Share()
    share.allowsAccessRequests = true
    let asked = AccessRules.asked(UserIdentity(user: UserID("_a")), of: share, limits)
    #expect(asked?.requesters.count == 1)
    guard let asked else { return }
    #expect(AccessRules.asked(UserIdentity(user: UserID("_b")), of: asked, limits) == nil)
  }

  @Test(arguments: [(1, true), (2, false)])
  func `a save names so many people whom a share keeps out`(count: Int, isTaken: Bool) {
    var limits = Limits.apple
    limits.blockedPeople = 1
    limits.accessRequests = 1
    let names = (0..<count).map { UserID("_\($0)") }
    let drafts = [
      AccessDraft(allowsRequests: true, blocked: names),
      AccessDraft(allowsRequests: true, waiting: names),
    ]
    for draft in drafts {
      var share = Share()
      let result = Result { try AccessRules.apply(draft, to: &share, limits) }
      #expect((try? result.get()) != nil ? isTaken : !isTaken)
    }
  }

  @Test func `a server has so many operators, and so many links to make the first`() async throws {
    let fixture = try await fixture {
      $0.operators = 1
      $0.operatorLinks = 2
      $0.passwordRounds = 16
    }
    let links = fixture.engine.operatorLinks
    let first = try #require(try await links.make(inDevelopment: false))
    _ = try await links.find(first.secret)
    fixture.server.clock.advance(by: 1)
    let second = try #require(try await links.make(inDevelopment: false))
    for link in [first, second] { _ = try await links.find(link.secret) }
    fixture.server.clock.advance(by: 1)
    let third = try #require(try await links.make(inDevelopment: false))
    for link in [second, third] { _ = try await links.find(link.secret) }
    _ = try await ruleFailure { _ = try await links.find(first.secret) }
    func add(_ name: String) async throws {
      _ = try await fixture.engine.operators.add(
        name: name, password: "long-enough-password", role: .full)
    }
    try await add("ada")
    #expect(try await ruleFailure { try await add("bea") }.code == .limitExceeded)
  }

  @Test func `a request with too many items says what they are`() async throws {
    let fixture = try await fixture { $0.operationsPerRequest = 2 }
    let (engine, phone) = (fixture.engine, fixture.phone)
    let zones = ["a", "b", "c"].map { ZoneID(name: $0) }
    let made = try await ruleFailure {
      try await engine.zones.modify(
        zones.map { ZoneOperation(.create, $0) }, in: .private, as: phone)
    }
    let found = try await ruleFailure {
      try await engine.zones.lookup(zones, in: .private, as: phone)
    }
    let changed = try await ruleFailure {
      try await engine.changes.ofZones(
        zones.map { ZoneChangesRequest(zone: $0, token: nil) }, in: .private, as: phone)
    }
    for error in [made, found, changed] {
      #expect(error.code == .limitExceeded)
      #expect(error.reason == "the request has 3 zones; the maximum is 2. Split it")
    }
    let shares = try await ruleFailure {
      try await engine.shares.resolve(
        ["a", "b", "c"].map { ShortGUIDRequest(value: $0) }, as: phone)
    }
    #expect(shares.reason == "the request has 3 shares; the maximum is 2. Split it")
  }
}
