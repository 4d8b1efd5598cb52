// The operator's `tokens/decode`: what a change token says.

package import BrumeModel

extension Wire {
  /// The reply of `tokens/decode`.
  package static func tokenContents(_ contents: TokenContents) -> [UInt8] {
    let token = contents.token
    return bytes { writer in
      writer.beginObject()
      writer.containerEnvironment(token.containerEnvironment)
      writer.member("database", token.scope.rawValue)
      writer.member("user", contents.readerName)
      writer.member("userRecordName", token.reader.name)
      writer.subject(token.subject)
      writer.member("position", token.sequence)
      writer.member("newest", contents.newest)
      writer.member("generation", token.generation)
      writer.member("currentGeneration", contents.generation)
      writer.member("seenUntil", contents.seenUntil)
      writer.member("moreComing", token.walk != nil)
      writer.member("refusal", contents.refusal)
      writer.endObject()
    }
  }
}

extension JSONWriter {
  fileprivate mutating func subject(_ subject: ChangeToken.Subject) {
    switch subject {
    case .zone(let owner, let name, let incarnation, _):
      member("about", "zone")
      self.name("zoneID")
      zoneID(ZoneID(name: name, ownerName: owner))
      member("incarnation", incarnation)
    case .database: member("about", "database")
    case .shared(let positions):
      member("about", "shared database")
      array("zones", positions) { writer, position in
        writer.beginObject()
        writer.name("zoneID")
        writer.zoneID(ZoneID(name: position.zone, ownerName: position.owner))
        writer.member("incarnation", position.incarnation)
        writer.member("position", position.sequence)
        writer.endObject()
      }
    case .notifications: member("about", "notifications")
    }
  }
}
