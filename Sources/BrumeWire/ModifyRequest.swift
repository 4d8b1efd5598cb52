// The bodies of `zones/modify` and `subscriptions/modify`.

package import BrumeModel

/// An operation as such a body has it.
package protocol WireOperation {
  /// Reads an element of `operations`.
  ///
  /// - Throws: `badRequest`, which names the member that is missing or not what it should be.
  init(_ object: JSONObject) throws(BrumeError)
  /// Writes it as one JSON object.
  func write(to writer: inout JSONWriter)
}

extension ModifyRequest: WireRequest where Operation: WireOperation {
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.array("operations", operations) { $1.write(to: &$0) }
    if operationID != nil {
      writer.name("brume")
      writer.beginObject()
      writer.member("operationID", operationID)
      writer.endObject()
    }
    writer.endObject()
  }

  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    let operations = try object.required("operations", try object.array("operations"))
    self.init(
      try eachElement(of: operations, in: "operations") { operation throws(BrumeError) in
        try Operation(operation)
      }, operationID: try object.extras()?.string("operationID"))
  }
}
