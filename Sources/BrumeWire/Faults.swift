// Faults as JSON: what `/_brume/admin/faults` and `brume faults` say. Ours, not Apple's.

package import BrumeModel

extension Fault {
  /// The words for effects; an error has its number besides.
  private static let effects: [(name: String, effect: Effect)] = [
    ("loseAnswer", .loseAnswer), ("conflict", .conflict), ("expireToken", .expireToken),
    ("pretend", .pretend), ("deleteZone", .removeZone(.deleted)),
    ("purgeZone", .removeZone(.purged)), ("resetZone", .removeZone(.encryptedDataReset)),
    ("signOut", .changeAccount(to: nil)),
    ("dropPush", .dropPush), ("duplicatePush", .duplicatePush), ("holdPush", .holdPush),
  ]
  /// Every word that `effect` may be.
  package static let effectNames = ["error"] + effects.map(\.name) + ["switchAccount"]

  /// Reads a fault.
  ///
  /// - Throws: a ``BrumeError`` that names the member and what it may be.
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("a fault")
    self.init(
      try Self.effect(object), on: try Self.operations(object),
      zone: try Self.name("zone", object), record: try Self.name("record", object),
      user: try Self.name("user", object).map { UserID($0) },
      device: try Self.name("device", object).map { DeviceID($0) },
      skip: try Self.number(object, "skip", from: 0) ?? 0,
      count: try Self.count(object), retryAfter: try Self.retryAfter(object))
    try checkOperations()
  }

  /// A fault that waits for calls at which it can do nothing would wait for ever.
  private func checkOperations() throws(BrumeError) {
    let wrong = operations.filter { !isPossible(at: $0) }.map(\.rawValue).min()
    guard let wrong else { return }
    let possible = Operation.allCases.filter { isPossible(at: $0) }.map(\.rawValue)
    throw BrumeError(
      .badRequest,
      "'on' must be a call at which the fault can do something, not '\(wrong)'; use one of "
        + possible.joined(separator: ", "))
  }

  /// Empty is not any: that is said by leaving it out.
  private static func name(_ key: String, _ object: JSONObject) throws(BrumeError) -> String? {
    let name = try object.string(key)
    if name == "" {
      throw BrumeError(.badRequest, "'\(key)' is empty; name one, or leave it out to mean any")
    }
    if let name, name.utf8.count > JSONBounds.nameBytes {
      throw BrumeError(
        .badRequest,
        "'\(key)' has \(name.utf8.count) bytes; nothing has a name of more than \(JSONBounds.nameBytes)"
      )
    }
    return name
  }

  /// The fault as JSON.
  package var json: JSON {
    var object = JSONObject()
    switch effect {
    case .error(let code):
      object["effect"] = "error"
      object["code"] = .int(Int64(code.rawValue))
    case .changeAccount(let user?):
      object["effect"] = "switchAccount"
      object["to"] = .string(user.name)
    case .changeAccount, .loseAnswer, .conflict, .expireToken, .pretend, .removeZone, .dropPush,
      .duplicatePush,
      .holdPush:
      object["effect"] = Self.effects.first { $0.effect == effect }.map { .string($0.name) }
    }
    if !operations.isEmpty {
      object["on"] = .array(operations.map(\.rawValue).sorted().map { .string($0) })
    }
    object["zone"] = zone.map { .string($0) }
    object["record"] = record.map { .string($0) }
    object["user"] = user.map { .string($0.name) }
    object["device"] = device.map { .string($0.name) }
    if skip > 0 { object["skip"] = .int(Int64(skip)) }
    if let count { object["count"] = .int(Int64(count)) } else { object["always"] = true }
    object["retryAfter"] = retryAfter.map { .double($0) }
    return .object(object)
  }

  private static func effect(_ object: JSONObject) throws(BrumeError) -> Effect {
    let name = try object.requiredString("effect")
    if name == "error" { return .error(try errorCode(object)) }
    if name == "switchAccount" {
      let user = try object.required("to", try object.string("to"))
      return .changeAccount(to: UserID(user))
    }
    guard let effect = effects.first(where: { $0.name == name })?.effect else {
      throw BrumeError(
        .badRequest,
        "'effect' must be one of \(effectNames.joined(separator: ", ")), not "
          + "'\(NameRules.shown(name))'")
    }
    return effect
  }

  private static func errorCode(_ object: JSONObject) throws(BrumeError) -> ErrorCode {
    let number = try object.required("code", try object.int("code"))
    guard let code = ErrorCode(rawValue: Int(clamping: number)), code.comesFromServers else {
      let known = ErrorCode.allCases.filter(\.comesFromServers).map { String($0.rawValue) }
      throw BrumeError(
        .badRequest,
        "'code' must be the number of an error that a server can cause, which CKError \(number) is not; "
          + "use one of \(known.joined(separator: ", "))")
    }
    return code
  }

  private static func operations(_ object: JSONObject) throws(BrumeError) -> Set<Operation> {
    var found: Set<Operation> = []
    for name in try object.strings("on") ?? [] {
      guard let operation = Operation(rawValue: name) else {
        let names = Operation.allCases.map(\.rawValue).joined(separator: ", ")
        throw BrumeError(.badRequest, "'on' knows \(names), not '\(NameRules.shown(name))'")
      }
      found.insert(operation)
    }
    return found
  }

  private static func retryAfter(_ object: JSONObject) throws(BrumeError) -> Double? {
    guard let seconds = object["retryAfter"] else { return nil }
    guard let wait = Wire.wait(seconds.double) else {
      throw BrumeError(.badRequest, "'retryAfter' must be seconds: a number from 0 to a year's")
    }
    return wait
  }

  /// Once, unless it says something else.
  private static func count(_ object: JSONObject) throws(BrumeError) -> Int? {
    let count = try number(object, "count", from: 1)
    guard try object.bool("always") == true else { return count ?? 1 }
    if count == nil { return nil }
    throw BrumeError(.badRequest, "'count' has no meaning with 'always'; leave one of them out")
  }

  private static func number(
    _ object: JSONObject, _ name: String, from least: Int64
  ) throws(BrumeError) -> Int? {
    guard let number = try object.int(name) else { return nil }
    guard number >= least else {
      throw BrumeError(
        .badRequest, "'\(name)' must be a whole number from \(least) on, not \(number)")
    }
    return Int(clamping: number)
  }
}
