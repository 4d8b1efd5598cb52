// What a large deletion takes along is read before its write (`FoundCascade`). Whatever happens in between, the outcome is
// that of one write which looks and deletes.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct LargeCascadeTests {
  @Test(arguments: [StoreEngine.memoryTwice, .memoryBuckets, .sqlite], CascadeTrial.all)
  func `a large deletion is one that looks and deletes at once:`(
    engine: StoreEngine, trial: CascadeTrial
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try engine.open(folder)
    try await trial.run(store)
    try await store.close()
  }
}

/// Something that happens in between.
struct CascadeTrial: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let run: @Sendable (any Store) async throws -> Void

  init(_ sentence: String, _ run: @escaping @Sendable (any Store) async throws -> Void) {
    testDescription = sentence
    self.run = run
  }

  private static let holders = Set((0..<CascadeServer.holders).map { "h\($0)" })
  private static let all601 = holders.union(["area"])

  static let all: [CascadeTrial] = [
    CascadeTrial("a large one is seen as one, and gone with one write after one read") { store in
      let server = try await CascadeServer(store)
      let token = try await server.changes().token
      server.store.overtake {
        #expect(server.store.reads.value == 1)
        // Nothing of it is seen before the write.
        let lines = try await server.changes(since: token).lines
        #expect(lines.isEmpty)
      }
      try await server.save([.remove("area")])
      // The first of them gave up.
      #expect(server.store.writes.value == 2)
      #expect(try await server.names().isEmpty)
      let gone = try await server.changes(since: token).lines
      #expect(gone.count == all601.count)
      #expect(Set(gone) == Set(all601.map { "-\($0)" }))
    },
    CascadeTrial("a small one is one write, and no read") { store in
      let server = try await CascadeServer(store)
      try await server.save(
        [.create("small")] + (0..<50).map { CascadeServer.hold("s\($0)", of: "small") })
      server.store.overtake()
      try await server.save([.remove("small")])
      #expect(server.store.reads.value == 0)
      #expect(server.store.writes.value == 1)
      #expect(try await server.names() == all601)
    },
    CascadeTrial("what came to refer to the record meanwhile goes as well") { store in
      let server = try await CascadeServer(store)
      server.store.overtake {
        try await server.save([CascadeServer.hold("late"), CascadeServer.hold("later", of: "h7")])
      }
      try await server.save([.remove("area")])
      #expect(try await server.names().isEmpty)
    },
    CascadeTrial("what refers to it no more stays") { store in
      let server = try await CascadeServer(store)
      server.store.overtake { try await server.save([CascadeServer.hold("h5", .none)]) }
      try await server.save([.remove("area")])
      #expect(try await server.names() == ["h5"])
    },
    CascadeTrial("what was deleted meanwhile is not deleted once more") { store in
      let server = try await CascadeServer(store)
      let token = try await server.changes().token
      server.store.overtake { try await server.save([.remove("h5")]) }
      try await server.save([.remove("area")])
      #expect(try await server.changes(since: token).lines.first == "-h5")
      #expect(try await server.names().isEmpty)
    },
    CascadeTrial("what came to need one of its records keeps them all") { store in
      let server = try await CascadeServer(store)
      server.store.overtake {
        try await server.save([CascadeServer.hold("keeper", .validate, of: "h7")])
      }
      let result = try await server.modify([.remove("area")]).first
      #expect(result?.code == .validatingReferenceError)
      #expect(try await server.names() == all601.union(["keeper"]))
    },
    CascadeTrial("a save of the same request is judged with it") { store in
      let server = try await CascadeServer(store)
      let results = try await server.modify([
        .remove("area"), CascadeServer.hold("h5", .none), .create("new", parent: "h6"),
      ])
      #expect(results.map(\.code) == [nil, nil, .validatingReferenceError])
      #expect(try await server.names() == ["h5"])
    },
    CascadeTrial("what a save of the same request takes out of it is no part of its bytes") {
      store in
      var limits = Limits.apple
      limits.cascadeBytes = 50_000
      let server = try await CascadeServer(store, limits: limits)
      let (large, text) = ((0..<20).map { "h\($0)" }, String(repeating: "x", count: 5_000))
      try await server.save(large.map { CascadeServer.hold($0, text: text) })
      let tooLarge = try await server.modify([.remove("area")])
      #expect(tooLarge.map(\.code) == [.limitExceeded])
      server.store.overtake()
      try await server.save([.remove("area")] + large.map { CascadeServer.hold($0, .none) })
      #expect(server.store.reads.value == 1)
      #expect(try await server.names() == Set(large))
    },
    CascadeTrial("large ones of several zones are read together, and bounded together") { store in
      var limits = Limits.apple
      limits.cascade = 1_300
      let server = try await CascadeServer(store, limits: limits)
      let others = ["Roads", "Rivers"].map { ZoneID(name: $0) }
      for zone in others { try await server.addZone(zone) }
      server.store.overtake()
      let inOthers = others.map { zone in
        var operation = RecordOperation.remove("area")
        operation.record.zone = zone
        return operation
      }
      let results = try await server.modify([.remove("area")] + inOthers)
      #expect(results.map(\.code) == [nil, nil, .limitExceeded])
      #expect(server.store.reads.value == 1 && server.store.writes.value == 2)
      #expect(try await server.names().isEmpty)
      #expect(try await server.names(in: others[0]).isEmpty)
      #expect(try await server.names(in: others[1]) == all601)
    },
    CascadeTrial("a zone that was deleted and made again is another one") { store in
      let server = try await CascadeServer(store)
      server.store.overtake {
        for kind in [ZoneOperation.Kind.delete, .create] {
          _ = try await server.engine.zones.modify(
            [.init(kind, CascadeServer.zone)], in: .private, as: server.alice)
        }
        try await server.save([.create("area"), .create("h1")])
      }
      try await server.save([.remove("area")])
      #expect(try await server.names() == ["h1"])
    },
    CascadeTrial("of who may only read now it is refused") { store in
      let server = try await CascadeServer(store)
      try await server.share()
      server.store.overtake { try await server.letOthersOnlyRead() }
      let result = try await server.modify(
        [.remove("area")], server.shared, in: .shared, as: server.bob
      ).first
      #expect(result?.code == .accessDenied)
      #expect(try await server.names().isSuperset(of: all601))
    },
    CascadeTrial("of who has signed out meanwhile it is refused") { store in
      let server = try await CascadeServer(store)
      try await server.share()
      let user = try #require(server.bob.user)
      server.store.overtake { try await server.engine.accounts.signOutEverywhere(user) }
      let error = await #expect(throws: BrumeError.self) {
        _ = try await server.modify([.remove("area")], server.shared, in: .shared, as: server.bob)
      }
      #expect(error?.code == .authenticationRequired)
      #expect(try await server.names().isSuperset(of: all601))
    },
    CascadeTrial("what an operator purged meanwhile leaves no line of a deletion") { store in
      let zone = ZoneID(name: ZoneID.defaultName)
      let server = try await CascadeServer(store, in: zone)
      let owner = try #require(server.alice.user)
      let place = server.alice.containerEnvironment
      server.store.overtake {
        try await server.engine.zoneAdministration.purge(zone.name, of: owner, in: place)
        try await server.save([.create("area")], zone)
      }
      try await server.save([.remove("area")], zone)
      let database = try server.alice.databaseKey(.private)
      let rows = try await server.server.store.read {
        try $0.changes.page(
          in: ZoneKey(database: database, name: zone.name), after: 0, through: .max, limit: 9
        ).count
      }
      #expect(rows == 1)
    },
  ]
}

extension RecordResult {
  fileprivate var code: BrumeError.Code? {
    if case .failure(let failure) = self { failure.error.code } else { nil }
  }
}
