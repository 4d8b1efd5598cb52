// Security roles in the public database: SCH-09, SAV-23 and the channels that they reach.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct RoleTests {
  private static let schema = """
    DEFINE SCHEMA
      CREATE ROLE editor;
      CREATE ROLE reader;
      RECORD TYPE Draft (
        "___recordID" REFERENCE QUERYABLE,
        title STRING QUERYABLE SORTABLE,
        GRANT READ TO reader,
        GRANT CREATE TO editor,
        GRANT WRITE TO editor
      );
      RECORD TYPE Post (
        "___recordID" REFERENCE QUERYABLE,
        title STRING QUERYABLE,
        GRANT READ TO "_world",
        GRANT CREATE TO "_icloud",
        GRANT WRITE TO "_creator"
      );
    """

  private func fixture() async throws -> EngineFixture {
    let fixture = try await EngineFixture()
    try await fixture.engine.schemas.replace(by: Self.schema, in: TestContainer.development)
    return fixture
  }

  private func give(_ role: String, to name: String, _ fixture: EngineFixture, isOn: Bool = true)
    async throws
  {
    try await fixture.engine.roles.set(
      role, of: try await fixture.server.user(name).id, to: isOn, in: TestContainer.development)
  }

  /// The caller as `authenticate` makes him, with his roles.
  private func caller(_ name: String, _ fixture: EngineFixture) async throws -> Caller {
    let api = try await fixture.engine.apiTokens.create(name: "t", in: TestContainer.development)
    let web = try await fixture.engine.webAuthTokens.issue(
      for: try await fixture.server.user(name).id, in: TestContainer.development, keep: false)
    return try await fixture.engine.authentication.authenticate(
      Credentials(
        in: TestContainer.development, apiToken: api.token,
        webAuthToken: web, device: DeviceID("phone"), requestID: "r"))
  }

  private func query(_ type: String, _ fixture: EngineFixture, as caller: Caller) async throws
    -> [String]
  {
    try await fixture.engine.queries.run(
      QueryRequest(query: Query(recordType: type)), in: .public, as: caller
    ).records.map(\.name)
  }

  @Test func `SCH-09 a role of the container's own opens what the schema grants it`() async throws {
    let fixture = try await fixture()
    try await give("editor", to: "alice", fixture)
    try await give("reader", to: "bob", fixture)
    let (alice, bob) = (try await caller("alice", fixture), try await caller("bob", fixture))
    #expect(alice.roles == ["editor"])
    let draft = try await fixture.save(
      .create("d1", ["title": .string("a")], type: "Draft"), in: .public, as: alice)
    #expect(try await fixture.fetch("d1", in: .public, as: bob).name == "d1")
    #expect(try await query("Draft", fixture, as: bob) == ["d1"])
    let denied = try await fixture.failure(
      of: .update(draft, ["title": .string("b")]), in: .public, as: bob)
    #expect(denied.code == .accessDenied)
    let create = try await fixture.failure(
      of: .create("d2", [:], type: "Draft"), in: .public, as: bob)
    #expect(create.code == .accessDenied)
    // Whoever may write may read.
    #expect(try await fixture.fetch("d1", in: .public, as: alice).name == "d1")
  }

  @Test func `SCH-09 without the role nothing of the type is there`() async throws {
    let fixture = try await fixture()
    try await give("editor", to: "alice", fixture)
    let alice = try await caller("alice", fixture)
    try await fixture.save(.create("d1", [:], type: "Draft"), in: .public, as: alice)
    let carol = try await caller("carol", fixture)
    let fetch = try await ruleFailure { try await fixture.fetch("d1", in: .public, as: carol) }
    #expect(fetch.code == .notFound)
    let search = try await ruleFailure { try await query("Draft", fixture, as: carol) }
    #expect(search.code == .accessDenied)
    let anonymous = fixture.server.anonymous()
    let asked = try await ruleFailure { try await fixture.fetch("d1", in: .public, as: anonymous) }
    #expect(asked.code == .authenticationRequired)
  }

  @Test func `SCH-09 a role that is taken away is gone with the next request`() async throws {
    let fixture = try await fixture()
    try await give("editor", to: "alice", fixture)
    let before = try await caller("alice", fixture)
    try await fixture.save(.create("d1", [:], type: "Draft"), in: .public, as: before)
    try await give("editor", to: "alice", fixture, isOn: false)
    let after = try await caller("alice", fixture)
    #expect(after.roles.isEmpty)
    let error = try await fixture.failure(
      of: .create("d2", [:], type: "Draft"), in: .public, as: after)
    #expect(error.code == .accessDenied)
  }

  @Test func `SCH-09 a role that leaves the schema and is made again is nobody's`() async throws {
    let fixture = try await fixture()
    let schemas = fixture.engine.schemas
    try await give("editor", to: "alice", fixture)
    try await give("reader", to: "alice", fixture)
    let api = try await fixture.engine.apiTokens.create(name: "t", in: TestContainer.development)
    let web = try await fixture.engine.webAuthTokens.issue(
      for: fixture.server.user("alice").id, in: TestContainer.development, keep: false)
    let credentials = Credentials(
      in: TestContainer.development, apiToken: api.token, webAuthToken: web,
      device: DeviceID("phone"), requestID: "r")
    let authentication = fixture.engine.authentication
    #expect(try await authentication.authenticate(credentials).roles == ["editor", "reader"])
    let less = "DEFINE SCHEMA CREATE ROLE reader;"
    try await schemas.replace(by: less, in: TestContainer.development)
    #expect(try await authentication.authenticate(credentials).roles == ["reader"])
    try await schemas.replace(by: Self.schema, in: TestContainer.development)
    #expect(try await authentication.authenticate(credentials).roles == ["reader"])
    let members = try await fixture.engine.roles.members(in: TestContainer.development)
    #expect(members.map(\.role) == ["reader"])
  }

  @Test func `SCH-09 a role that leaves a schema stays in the other environment`() async throws {
    let fixture = try await fixture()
    let schemas = fixture.engine.schemas
    try await schemas.deploy(TestContainer.id)
    for place in [TestContainer.development, TestContainer.production] {
      let alice = try await fixture.server.user("alice").id
      try await fixture.engine.roles.set("editor", of: alice, to: true, in: place)
    }
    let plain = "RECORD TYPE Draft (title STRING); RECORD TYPE Post (title STRING);"
    try await schemas.replace(by: "DEFINE SCHEMA " + plain, in: TestContainer.development)
    #expect(try await fixture.engine.roles.members(in: TestContainer.development).isEmpty)
    #expect(try await fixture.engine.roles.members(in: TestContainer.production).count == 1)
    try await schemas.deploy(TestContainer.id)
    #expect(try await fixture.engine.roles.members(in: TestContainer.production).isEmpty)
  }

  @Test func `SCH-09 roles count in their own container and environment only`() async throws {
    let fixture = try await fixture()
    try await give("editor", to: "alice", fixture)
    let api = try await fixture.engine.apiTokens.create(name: "p", in: TestContainer.production)
    let web = try await fixture.engine.webAuthTokens.issue(
      for: try await fixture.server.user("alice").id, in: TestContainer.production, keep: false)
    let caller = try await fixture.engine.authentication.authenticate(
      Credentials(
        in: TestContainer.production, apiToken: api.token, webAuthToken: web, requestID: "r"))
    #expect(caller.roles.isEmpty)
  }

  @Test func `SCH-09 a push asks for the role of the one it goes to`() async throws {
    let fixture = try await fixture()
    try await give("reader", to: "bob", fixture)
    let key = RecordKey(
      zone: ZoneKey(
        database: DatabaseKey(
          in: TestContainer.development, owner: nil),
        name: ZoneID.defaultName), name: "d1")
    for (name, expected) in [("bob", true), ("alice", false)] {
      let user = try await fixture.server.user(name).id
      let engine = fixture.engine
      let may = try await fixture.server.store.read { transaction in
        try engine.permission.mayRead(
          user, key, type: "Draft", creator: nil, coveringShares: [], in: transaction)
      }
      #expect(may == expected, "\(name)")
    }
  }

  @Test(arguments: ["_world", "_icloud", "_creator", "nobody"])
  func `only roles of the schema are given`(role: String) async throws {
    let fixture = try await fixture()
    let error = try await ruleFailure { try await give(role, to: "alice", fixture) }
    #expect(error.code == (role == "nobody" ? .notFound : .badRequest))
  }

  @Test func `members are listed`() async throws {
    let fixture = try await fixture()
    try await give("reader", to: "bob", fixture)
    try await give("editor", to: "alice", fixture)
    let members = try await fixture.engine.roles.members(in: TestContainer.development)
    #expect(members.map(\.role) == ["editor", "reader"])
  }

  @Test func `SAV-23 only the creator changes or deletes a public record`() async throws {
    let fixture = try await fixture()
    let post = try await fixture.save(.create("p1", [:], type: "Post"), in: .public)
    #expect(try await fixture.fetch("p1", in: .public, as: fixture.bob).name == "p1")
    for operation in [
      RecordOperation.update(post, ["title": .string("x")]),
      .force("p1", ["title": .string("x")], type: "Post"), .delete("p1"),
      .delete("p1", tag: post.changeTag),
    ] {
      let error = try await fixture.failure(of: operation, in: .public, as: fixture.bob)
      #expect(error.code == .accessDenied)
      #expect(error.reason.contains("not permitted"))
    }
    _ = try await fixture.save(.update(post, ["title": .string("y")]), in: .public)
  }
}
