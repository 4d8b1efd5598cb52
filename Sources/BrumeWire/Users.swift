// User identities, and the replies of `users/*`.

package import BrumeModel

extension JSONWriter {
  /// - Parameter isFound: the reply to a lookup, which repeats what was looked up.
  mutating func identity(_ identity: UserIdentity, isFound: Bool = false) {
    beginObject()
    member("userRecordName", identity.user?.name)
    if identity.givenName != nil || identity.familyName != nil {
      name("nameComponents")
      beginObject()
      member("givenName", identity.givenName)
      member("familyName", identity.familyName)
      endObject()
    }
    if identity.emailAddress != nil || identity.phoneNumber != nil {
      name("lookupInfo")
      beginObject()
      member("emailAddress", identity.emailAddress)
      member("phoneNumber", identity.phoneNumber)
      endObject()
    } else if isFound {
      name("lookupInfo")
      beginObject()
      member("userRecordName", identity.user?.name)
      endObject()
    }
    if identity.isHidden {
      name("brume")
      beginObject()
      member("isDiscoverable", false)
      endObject()
    }
    endObject()
  }
}

extension UserIdentity {
  init(_ object: JSONObject) throws(BrumeError) {
    let names = try object.object("nameComponents")
    let lookup = try object.object("lookupInfo")
    var user = try object.string("userRecordName")
    if user == nil { user = try lookup?.string("userRecordName") }
    self.init(
      user: user.map { UserID($0) }, givenName: try names?.string("givenName"),
      familyName: try names?.string("familyName"),
      emailAddress: try lookup?.string("emailAddress"),
      phoneNumber: try lookup?.string("phoneNumber"))
  }
}

extension Wire {
  /// The reply of `users/caller`.
  package static func identity(_ identity: UserIdentity) -> [UInt8] {
    bytes { $0.identity(identity) }
  }

  /// Reads the reply of `users/caller`.
  package static func identity(_ json: JSON) throws(BrumeError) -> UserIdentity {
    let object = try json.asObject("the reply")
    var identity = try UserIdentity(object)
    identity.isHidden = try object.extras()?.bool("isDiscoverable") == false
    return identity
  }

  /// The reply of `users/current`, which Apple deprecated.
  package static func currentUser(_ identity: UserIdentity) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("userRecordName", identity.user?.name)
      writer.member("firstName", identity.givenName)
      writer.member("lastName", identity.familyName)
      writer.endObject()
    }
  }

  /// The reply of `users/discover`.
  package static func users(_ identities: [UserIdentity]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("users", identities) { $0.identity($1, isFound: true) }
      writer.endObject()
    }
  }

  /// The reply of `users/lookup/…`, which Apple deprecated.
  package static func lookedUpUsers(_ identities: [UserIdentity]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("users", identities) { writer, identity in
        writer.beginObject()
        writer.member("userRecordName", identity.user?.name)
        writer.member("firstName", identity.givenName)
        writer.member("lastName", identity.familyName)
        writer.member("emailAddress", identity.emailAddress)
        writer.endObject()
      }
      writer.endObject()
    }
  }

  /// The body of `users/lookup/email` and `users/lookup/id`.
  package static func lookedUp(_ json: JSON) throws(BrumeError) -> [UserIdentity] {
    let object = try json.asObject("the body")
    let users = try object.required("users", try object.array("users"))
    return try eachElement(of: users, in: "users") { user throws(BrumeError) in
      let identity = UserIdentity(
        user: try user.string("userRecordName").map { UserID($0) },
        emailAddress: try user.string("emailAddress"))
      guard identity.user != nil || identity.emailAddress != nil else {
        throw BrumeError(.badRequest, "it names no 'emailAddress' and no 'userRecordName'")
      }
      return identity
    }
  }

  /// Reads the reply of `users/discover` and `users/lookup/…`.
  package static func users(_ json: JSON) throws(BrumeError) -> [UserIdentity] {
    let object = try json.asObject("the reply")
    let users = try object.required("users", try object.array("users"))
    return try eachElement(of: users, in: "users") { user throws(BrumeError) in
      try UserIdentity(user)
    }
  }

  /// The body of `users/discover`: whom to look for, each by one of three ways.
  package static func lookupInfos(_ json: JSON) throws(BrumeError) -> [UserIdentity] {
    let object = try json.asObject("the body")
    let infos = try object.required("lookupInfos", try object.array("lookupInfos"))
    return try eachElement(of: infos, in: "lookupInfos") { info throws(BrumeError) in
      let identity = UserIdentity(
        user: try info.string("userRecordName").map { UserID($0) },
        emailAddress: try info.string("emailAddress"), phoneNumber: try info.string("phoneNumber"))
      guard identity.user != nil || identity.emailAddress != nil || identity.phoneNumber != nil
      else {
        throw BrumeError(
          .badRequest, "it names no 'emailAddress', no 'phoneNumber' and no 'userRecordName'")
      }
      return identity
    }
  }

  /// The body of `users/discover`.
  package static func lookupInfos(_ identities: [UserIdentity]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("lookupInfos", identities) { writer, identity in
        writer.beginObject()
        writer.member("userRecordName", identity.user?.name)
        writer.member("emailAddress", identity.emailAddress)
        writer.member("phoneNumber", identity.phoneNumber)
        writer.endObject()
      }
      writer.endObject()
    }
  }
}
