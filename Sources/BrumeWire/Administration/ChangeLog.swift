// The operator's `log` and `log/then`: what happened, and what a zone held then.

package import BrumeModel

extension Wire {
  /// - Parameter mayHaveMore: whether the last of them is worth asking for what is before it.
  package static func log(_ changes: [Trace.Change], mayHaveMore: Bool) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("changes", changes) { writer, change in writer.json(change.json) }
      if mayHaveMore { writer.member("before", changes.last?.id) }
      writer.endObject()
    }
  }

  /// The reply of `log/then`.
  package static func pastZone(_ past: PastZone) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.name("change")
      writer.json(past.change.json)
      writer.array("records", past.items) { writer, item in
        writer.beginObject()
        writer.member("recordName", item.name)
        writer.member("recordType", item.type)
        writer.member("then", item.state.rawValue)
        writer.member("nextChange", item.nextChange)
        if let record = item.record {
          writer.name("record")
          writer.storedRecord(record, RecordOptions())
        }
        writer.endObject()
      }
      writer.member("complete", past.isComplete)
      writer.member("deletedBy", past.deletedBy)
      writer.endObject()
    }
  }
}
