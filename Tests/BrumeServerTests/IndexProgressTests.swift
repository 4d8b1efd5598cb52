// How far the work on indexes is, as an operator sees it. That the store counts right in the middle of the work:
// LateIndexTests.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct IndexProgressTests {
  @Test func `the metrics show what of an index is there and what is not, while it is built`()
    async throws
  {
    let fixture = try await ServerFixture(wrapping: { StoreAmidIndexing(inner: $0) })
    try await fixture.routes { client in
      let lines = try await client.send("/_brume/metrics").text.split(separator: "\n")
      #expect(lines.contains("brume_index_fields_unfinished 2"))
      #expect(lines.contains("brume_index_records_taken_in 40"))
    }
  }
}

/// A store that is always in the middle of the work.
private struct StoreAmidIndexing: WrappingStore {
  let inner: any Store

  var indexProgress: IndexProgress { IndexProgress(fields: 2, records: 40) }
}
