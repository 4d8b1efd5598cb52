// The operator's `records/query`: Apple's page with a `plan` beside the records. And `schema/usage`: how often
// indexes were used and lacked.

package import BrumeModel

extension Wire {
  /// The reply of the operator's `records/query`.
  ///
  /// - Parameter containerEnvironment: where the query was run.
  package static func queryPageInPieces(
    _ page: QueryPage, _ cost: QueryCost, in containerEnvironment: ContainerEnvironment,
    _ options: RecordOptions
  ) -> [[UInt8]] {
    pieces { writer in
      writer.beginObject()
      writer.array("records", page.records) { $0.storedRecord($1, options) }
      writer.member("continuationMarker", page.marker)
      writer.name("plan")
      writer.cost(cost, in: containerEnvironment)
      writer.endObject()
    }
  }

  /// - Parameter since: nothing before was counted.
  package static func indexUses(_ uses: [IndexUse], since: Milliseconds) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("since", since)
      writer.array("indexes", uses) { writer, use in
        writer.beginObject()
        writer.member("recordType", use.index.type)
        writer.member("field", use.index.field)
        writer.member("index", use.index.index)
        writer.member("used", use.used)
        writer.member("lacked", use.lacked)
        writer.endObject()
      }
      writer.endObject()
    }
  }
}

extension JSONWriter {
  fileprivate mutating func cost(
    _ cost: QueryCost, in containerEnvironment: ContainerEnvironment
  ) {
    beginObject()
    member("sources", cost.sources)
    member("rows", Int64(cost.rows))
    array("missing", cost.missing) { writer, index in
      writer.beginObject()
      writer.member("recordType", index.type)
      writer.member("field", index.field)
      writer.member("index", index.index)
      writer.member("command", index.command(in: containerEnvironment))
      writer.endObject()
    }
    endObject()
  }
}
