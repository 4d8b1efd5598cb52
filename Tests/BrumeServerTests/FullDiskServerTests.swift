// A server that ran before starts on a disk that takes nothing, and answers what it has.

import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import HummingbirdTesting
import Testing

@Suite struct FullDiskServerTests {
  @Test func `a start needs nothing written that an earlier one has written`() async throws {
    let first = try await ServerFixture { $0.engine = .sqlite }
    try await Services.embed(first.server) { _ in
      try await Services.application(first.server, ServerFixture.silent).test(.router) { client in
        let client = RouteClient(fixture: first, client: client)
        try await client.makeZone("Notes")
        try await client.save("kept", zone: "Notes")
      }
    }
    let next = try await ServerFixture(
      in: first.server.folder, { $0.engine = .sqlite },
      wrapping: { inner in
        let store = FailingStore(inner)
        store.fail(writes: true)
        return store
      })
    #expect(next.ready.apiToken == first.ready.apiToken)
    try await next.routes { client in
      let found = try await client.call(
        "records/lookup",
        ["zoneID": ["zoneName": "Notes"], "records": [["recordName": "kept"]]])
      #expect(found["records"]?.array?.first?["recordName"] == "kept", "\(found.text)")
      let zone: JSON = ["zoneID": ["zoneName": "Other"]]
      let refused = try await client.call(
        "zones/modify", ["operations": [["operationType": "create", "zone": zone]]])
      #expect(refused.status == 503 && refused.code == "TRY_AGAIN_LATER", "\(refused.text)")
    }
  }
}
