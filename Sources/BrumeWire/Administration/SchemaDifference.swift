// The operator's `schema/diff`, `schema/validate` and the dry run of a deployment.

package import BrumeModel

extension Wire {
  /// The reply of `schema/diff` and its like.
  package static func schemaDifference(_ difference: SchemaDifference) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("changes", difference.steps) { writer, step in
        writer.beginObject()
        writer.member("change", step.text)
        writer.member("consequence", step.consequence)
        writer.member("drops", step.dropped)
        writer.member("obstacle", step.obstacle)
        writer.endObject()
      }
      writer.member("drops", difference.dropped)
      writer.member("allowed", difference.isAllowed)
      writer.endObject()
    }
  }

  /// - Parameter recordTypes: how many types the text defines; nil if it is wrong.
  package static func schemaFaults(_ faults: [SchemaFault], recordTypes: Int?) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("valid", faults.isEmpty)
      writer.member("recordTypes", recordTypes.map { Int64($0) })
      writer.array("errors", faults) { writer, fault in
        writer.beginObject()
        writer.member("line", Int64(fault.line))
        writer.member("column", Int64(fault.column))
        writer.member("message", fault.message)
        writer.endObject()
      }
      writer.endObject()
    }
  }
}
