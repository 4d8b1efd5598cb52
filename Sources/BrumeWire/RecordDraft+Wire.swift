// What an operation says about a record, both ways. A key that is missing says nothing; `null` or
// `{}` as a field removes the field; `{}` as the parent removes the parent.

import BrumeModel

extension RecordDraft {
  init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      name: try object.string("recordName"), type: try object.string("recordType"),
      changeTag: try object.string("recordChangeTag"), zone: try object.zoneID("zoneID"),
      parent: try Self.parent(object),
      createShortGUID: try object.bool("createShortGUID") ?? false,
      publicPermission: try object.permission("publicPermission"))
    for member in try object.object("fields")?.members ?? [] {
      fields[member.key] = try DraftField(json: member.value, field: member.key)
    }
    if let root = try object.object("forRecord") {
      shareRoot = (try root.requiredString("recordName"), try root.string("recordChangeTag"))
    }
    if let participants = try object.array("participants") {
      self.participants = try eachElement(of: participants, in: "participants") {
        participant throws(BrumeError) in try Participant(participant)
      }
    }
    access = try AccessDraft(object.extras())
  }

  private static func parent(_ object: JSONObject) throws(BrumeError) -> ParentChange {
    guard let parent = try object.object("parent") else { return .unchanged }
    guard let target = try Reference(parent) else { return .cleared }
    return .set(target)
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("recordName", name)
    writer.member("recordType", type)
    writer.member("recordChangeTag", changeTag)
    writer.zoneMember(zone)
    if !fields.isEmpty { writeFields(to: &writer) }
    writeParent(to: &writer)
    if createShortGUID { writer.member("createShortGUID", true) }
    if let shareRoot {
      writer.name("forRecord")
      writer.beginObject()
      writer.member("recordName", shareRoot.name)
      writer.member("recordChangeTag", shareRoot.changeTag)
      writer.endObject()
    }
    writer.member("publicPermission", publicPermission?.rawValue)
    if let participants {
      writer.array("participants", participants) { $0.participant($1, showsToken: true) }
    }
    access?.write(to: &writer)
    writer.endObject()
  }

  private func writeFields(to writer: inout JSONWriter) {
    writer.name("fields")
    writer.beginObject()
    for name in fields.keys.sorted() {
      guard let field = fields[name] else { continue }
      writer.key(name)
      writer.draftField(field)
    }
    writer.endObject()
  }

  private func writeParent(to writer: inout JSONWriter) {
    switch parent {
    case .unchanged: break
    case .cleared:
      writer.name("parent")
      writer.beginObject()
      writer.endObject()
    case .set(let reference):
      writer.name("parent")
      writer.beginObject()
      writer.member("recordName", reference.recordName)
      writer.zoneMember(reference.zone)
      writer.endObject()
    }
  }
}

extension JSONWriter {
  fileprivate mutating func draftField(_ field: DraftField) {
    beginObject()
    name("value")
    if let value = field.value { fieldValue(value, RecordOptions()) } else { null() }
    if field.isTagged { member("type", field.value?.wireType) }
    if field.isEncrypted { member("isEncrypted", true) }
    if let value = field.value { exactTime(value) }
    endObject()
  }
}
