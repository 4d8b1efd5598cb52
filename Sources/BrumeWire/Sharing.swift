// What a `cloudkit.share` record carries beside its fields, and `records/resolve|accept`.

package import BrumeModel

// MARK: Shares

extension JSONWriter {
  /// The share's own members of a record dictionary. Addresses and numbers of others are for those who
  /// manage the share.
  mutating func shareMembers(_ share: Share, _ options: RecordOptions) {
    let own = options.reader.flatMap { share.participant($0) }
    let manages = options.showsSecrets || own?.role == .owner || own?.role == .administrator
    member("publicPermission", share.publicPermission.rawValue)
    if let owner = share.owner {
      name("owner")
      participant(owner.shown(to: own, manages: manages))
    }
    array("participants", share.participants) {
      $0.participant(
        $1.shown(to: own, manages: manages), showsToken: manages && !options.hidesTokens)
    }
    if let own {
      name("currentUserParticipant")
      participant(own)
    }
    let hasRequests =
      manages
      && (share.allowsAccessRequests || !share.requesters.isEmpty || !share.blocked.isEmpty)
    guard share.rootRecordName != nil || hasRequests else { return }
    name("brume")
    beginObject()
    member("rootRecordName", share.rootRecordName)
    if hasRequests {
      member("allowsAccessRequests", share.allowsAccessRequests)
      array("requesters", share.requesters) { $0.identity($1) }
      array("blocked", share.blocked) { $0.identity($1) }
    }
    endObject()
  }

  mutating func participant(_ participant: Participant, showsToken: Bool = false) {
    beginObject()
    if !participant.id.isEmpty { member("participantId", participant.id) }
    name("userIdentity")
    identity(participant.identity)
    member("type", participant.role.rawValue)
    member("acceptanceStatus", participant.acceptance.rawValue)
    member("permission", participant.permission.rawValue)
    let token = showsToken ? participant.oneTimeToken : nil
    if participant.added != nil || participant.isApprovedRequester || token != nil {
      name("brume")
      beginObject()
      member("added", participant.added)
      if participant.isApprovedRequester { member("isApprovedRequester", true) }
      member("oneTimeToken", token)
      endObject()
    }
    endObject()
  }
}

extension Participant {
  /// Everybody learns who takes part; how others were invited, only who manages the share.
  fileprivate func shown(to reader: Participant?, manages: Bool) -> Participant {
    if manages || id == reader?.id { return self }
    var shown = self
    shown.identity = identity.withoutAddresses
    return shown
  }
}

extension Share {
  init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      publicPermission: try object.permission("publicPermission") ?? .none,
      participants: try eachElement(
        of: try object.array("participants") ?? [], in: "participants"
      ) { participant throws(BrumeError) in try Participant(participant) },
      rootRecordName: try object.extras()?.string("rootRecordName"))
    guard let extras = try object.extras() else { return }
    allowsAccessRequests = try extras.bool("allowsAccessRequests") ?? false
    requesters = try Self.identities(extras, "requesters")
    blocked = try Self.identities(extras, "blocked")
  }

  private static func identities(
    _ extras: JSONObject, _ key: String
  ) throws(BrumeError) -> [UserIdentity] {
    try eachElement(of: try extras.array(key) ?? [], in: key) { identity throws(BrumeError) in
      try UserIdentity(identity)
    }
  }
}

extension AccessDraft {
  /// Nil if the draft's extras say nothing about access.
  init?(_ extras: JSONObject?) throws(BrumeError) {
    guard let extras, let allows = try extras.bool("allowsAccessRequests") else { return nil }
    self.init(
      allowsRequests: allows,
      waiting: try extras.strings("requesters")?.map { UserID($0) } ?? [],
      blocked: try extras.strings("blocked")?.map { UserID($0) } ?? [])
  }

  func write(to writer: inout JSONWriter) {
    writer.name("brume")
    writer.beginObject()
    writer.member("allowsAccessRequests", allowsRequests)
    writer.array("requesters", waiting) { $0.string($1.name) }
    writer.array("blocked", blocked) { $0.string($1.name) }
    writer.endObject()
  }
}

extension Participant {
  /// An ID that is missing is read as empty: the server then makes one.
  init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      id: try object.string("participantId", or: "participantID") ?? "",
      role: try object.role("type") ?? .privateUser,
      permission: try object.permission("permission") ?? .readOnly,
      acceptance: try object.acceptance("acceptanceStatus") ?? .invited,
      identity: try UserIdentity(try object.object("userIdentity") ?? JSONObject()))
    guard let extras = try object.extras() else { return }
    added = try extras.int("added")
    isApprovedRequester = try extras.bool("isApprovedRequester") ?? false
    oneTimeToken = try extras.string("oneTimeToken")
  }
}

extension JSONObject {
  func permission(_ key: String) throws(BrumeError) -> SharePermission? {
    guard let text = try string(key), text != "UNKNOWN" else { return nil }
    guard let permission = SharePermission(rawValue: text) else {
      throw BrumeError(.badRequest, "'\(key)' must be NONE, READ_ONLY or READ_WRITE")
    }
    return permission
  }

  /// CloudKit: the enumeration of CloudKit JS spells an invited user `PRIVATE_USER`.
  func role(_ key: String) throws(BrumeError) -> Participant.Role? {
    guard let text = try string(key), text != "UNKNOWN" else { return nil }
    if text == "PRIVATE_USER" { return .privateUser }
    guard let role = Participant.Role(rawValue: text) else {
      throw BrumeError(
        .badRequest, "'\(key)' must be OWNER, ADMINISTRATOR, USER or PUBLIC_USER")
    }
    return role
  }

  /// CloudKit: `PENDING` and `UNSUBSCRIBED` are other clients' words for invited and removed.
  func acceptance(_ key: String) throws(BrumeError) -> Participant.Acceptance? {
    guard let text = try string(key), text != "UNKNOWN" else { return nil }
    switch text {
    case "PENDING": return .invited
    case "UNSUBSCRIBED": return .removed
    default:
      guard let acceptance = Participant.Acceptance(rawValue: text) else {
        throw BrumeError(.badRequest, "'\(key)' must be INVITED, ACCEPTED or REMOVED")
      }
      return acceptance
    }
  }
}

// MARK: Resolving and accepting

extension Wire {
  /// The body of `records/resolve` and `records/accept`.
  package static func shortGUIDs(_ requests: [ShortGUIDRequest]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("shortGUIDs", requests) { $0.shortGUID($1) }
      writer.endObject()
    }
  }

  /// Reads the body of `records/resolve` and `records/accept`.
  package static func shortGUIDs(_ json: JSON) throws(BrumeError) -> [ShortGUIDRequest] {
    let object = try json.asObject("the body")
    let items = try object.required("shortGUIDs", try object.array("shortGUIDs"))
    _ = try object.numbersAsStrings()
    return try eachElement(of: items, in: "shortGUIDs") { item throws(BrumeError) in
      try ShortGUIDRequest(item)
    }
  }

  /// The reply of `records/resolve` and `records/accept`.
  package static func shareResults(
    _ results: [ShareResult], _ options: RecordOptions = RecordOptions()
  ) -> [UInt8] {
    bytes(capacity: 2048 * results.count + 64) { writer in
      writer.beginObject()
      writer.array("results", results) { writer, result in
        switch result {
        case .success(let metadata): writer.shareMetadata(metadata, options)
        case .failure(let failure):
          writer.beginObject()
          writer.name("shortGUID")
          writer.shortGUID(ShortGUIDRequest(value: failure.id))
          writer.errorMembers(failure.error)
          writer.endObject()
        }
      }
      writer.endObject()
    }
  }

  /// Reads the reply of `records/resolve` and `records/accept`.
  package static func shareResults(_ json: JSON) throws(BrumeError) -> [ShareResult] {
    let object = try json.asObject("the reply")
    let results = try object.required("results", try object.array("results"))
    return try eachElement(of: results, in: "results") { result throws(BrumeError) in
      guard let error = error(in: result) else { return .success(try ShareMetadata(result)) }
      let guid = result["shortGUID"]
      return .failure(ItemFailure(guid?.string ?? guid?["value"]?.string ?? "", error))
    }
  }
}

extension ShortGUIDRequest {
  fileprivate init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      value: try object.requiredString("value"),
      shouldFetchRootRecord: try object.bool("shouldFetchRootRecord") ?? false,
      rootRecordDesiredKeys: try object.desiredNames("rootRecordDesiredKeys", for: "fields"))
  }
}

extension JSONWriter {
  fileprivate mutating func shortGUID(_ request: ShortGUIDRequest) {
    beginObject()
    member("value", request.value)
    member("shouldFetchRootRecord", request.shouldFetchRootRecord)
    member("rootRecordDesiredKeys", request.rootRecordDesiredKeys)
    endObject()
  }

  fileprivate mutating func shareMetadata(_ metadata: ShareMetadata, _ options: RecordOptions) {
    beginObject()
    name("shortGUID")
    shortGUID(metadata.shortGUID)
    member("containerIdentifier", metadata.container.name)
    member("environment", metadata.environment.rawValue)
    member("databaseScope", metadata.scope.rawValue.uppercased())
    name("zoneID")
    zoneID(metadata.zone)
    name("share")
    record(metadata.share, options)
    member("rootRecordName", metadata.rootRecordName)
    if let root = metadata.rootRecord {
      name("rootRecord")
      record(root, options.desiring(metadata.shortGUID.rootRecordDesiredKeys))
    }
    name("ownerIdentity")
    identity(
      metadata.role == .owner || metadata.role == .administrator
        ? metadata.owner : metadata.owner.withoutAddresses)
    member("participantType", metadata.role.rawValue)
    member("participantStatus", metadata.acceptance.rawValue)
    member("participantPermission", metadata.permission.rawValue)
    array("potentialMatchList", [String]()) { $0.string($1) }
    endObject()
  }
}

extension ShareMetadata {
  fileprivate init(_ object: JSONObject) throws(BrumeError) {
    let guid = try object.required("shortGUID", try object.object("shortGUID"))
    let share = try object.required("share", try object.object("share"))
    let scope = try object.string("databaseScope").map { DatabaseScope(rawValue: $0.lowercased()) }
    let environment = try object.string("environment")?.lowercased()
    self.init(
      shortGUID: try ShortGUIDRequest(guid),
      in: ContainerEnvironment(
        ContainerID(try object.requiredString("containerIdentifier")),
        environment.flatMap { Environment(rawValue: $0) } ?? .production),
      scope: (scope ?? nil) ?? .shared,
      zone: try object.required("zoneID", try object.zoneID("zoneID")), share: try Record(share),
      rootRecordName: try object.string("rootRecordName"),
      rootRecord: try object.object("rootRecord").map { record throws(BrumeError) in
        try Record(record)
      },
      owner: try UserIdentity(try object.object("ownerIdentity") ?? JSONObject()),
      role: try object.role("participantType") ?? .privateUser,
      acceptance: try object.acceptance("participantStatus") ?? .invited,
      permission: try object.permission("participantPermission") ?? .none)
  }
}
