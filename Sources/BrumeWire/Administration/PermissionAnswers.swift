// The operator's `allowed`: may this user do that?

package import BrumeModel

extension PermissionQuestion {
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    let text = try object.requiredString("action")
    guard let action = Action(rawValue: text) else {
      let actions = Action.allCases.map(\.rawValue).joined(separator: ", ")
      throw BrumeError(
        .badRequest, "'action' is '\(NameRules.shown(text))'; it may be one of \(actions)")
    }
    self.init(
      action, zone: try object.zoneID("zoneID"), recordName: try object.string("recordName"),
      recordType: try object.string("recordType"))
  }
}

extension Wire {
  /// The reply of `allowed`.
  package static func permission(_ answer: PermissionAnswer) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("allowed", answer.isAllowed)
      writer.member("reason", answer.reason)
      writer.member("shares", answer.shares)
      writer.endObject()
    }
  }
}
