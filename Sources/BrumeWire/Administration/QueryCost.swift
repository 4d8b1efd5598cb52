// The operator's `records/query`: Apple's page with a `plan` beside the records.

package import BrumeModel

extension Wire {
  package static func queryPage(
    _ page: QueryPage, _ cost: QueryCost, _ options: RecordOptions = RecordOptions()
  ) -> [UInt8] {
    bytes(capacity: page.records.reduce(512) { $0 + $1.sizeEstimate }) { writer in
      writer.beginObject()
      writer.array("records", page.records) { $0.storedRecord($1, options) }
      writer.member("continuationMarker", page.marker)
      writer.name("plan")
      writer.cost(cost)
      writer.endObject()
    }
  }
}

extension JSONWriter {
  fileprivate mutating func cost(_ cost: QueryCost) {
    beginObject()
    member("sources", cost.sources)
    member("rows", Int64(cost.rows))
    array("missing", cost.missing) { writer, index in
      writer.beginObject()
      writer.member("recordType", index.type)
      writer.member("field", index.field)
      writer.member("index", index.index)
      writer.member("command", index.command)
      writer.endObject()
    }
    endObject()
  }
}
