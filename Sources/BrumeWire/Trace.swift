// A trace as JSON: what `/_brume/admin/trace` answers and `brume push explain` reads. Ours, not Apple's.

package import BrumeModel

extension Trace {
  /// The trace as JSON.
  package var json: JSON {
    var object = JSONObject()
    object["sentence"] = .string(sentence)
    var kept = JSONObject()
    kept["age"] = .int(history.age)
    kept["rows"] = .int(Int64(history.rows))
    object["history"] = .object(kept)
    object["change"] = change?.json
    object["others"] = .array(others.map(\.json))
    object["subscriptions"] = .array(subscriptions.map(\.json))
    object["notCandidates"] = .int(Int64(notCandidates))
    object["complete"] = .bool(isComplete)
    return .object(object)
  }

  /// Reads a trace.
  ///
  /// - Throws: a ``BrumeError`` that names the member and what it may be.
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("a trace")
    let kept = try object.required("history", try object.object("history"))
    self.init(
      sentence: try object.requiredString("sentence"),
      history: History(
        age: try kept.int("age") ?? 0, rows: Int(clamping: try kept.int("rows") ?? 0)))
    change = try object["change"].map { json throws(BrumeError) in
      try Change(try json.asObject("'change'"))
    }
    others = try eachElement(of: try object.array("others") ?? [], in: "others") {
      element throws(BrumeError) in try Change(element)
    }
    subscriptions = try eachElement(
      of: try object.array("subscriptions") ?? [], in: "subscriptions"
    ) { element throws(BrumeError) in try Judgement(element) }
    notCandidates = Int(clamping: try object.int("notCandidates") ?? 0)
    isComplete = try object.bool("complete") ?? true
  }
}

extension Trace.Change {
  var json: JSON {
    var object = JSONObject()
    object["id"] = .string(id)
    object["time"] = .int(time)
    object["kind"] = .string(kind.rawValue)
    object["scope"] = .string(scope.rawValue)
    object["owner"] = owner.map { .string($0) }
    object["zone"] = zone.map { .string($0) }
    object["record"] = record.map { .string($0) }
    object["recordType"] = recordType.map { .string($0) }
    object["user"] = user.map { .string($0) }
    object["device"] = device.map { .string($0) }
    object["request"] = .string(request)
    object["notification"] = .string(notification)
    return .object(object)
  }

  fileprivate init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      id: try object.requiredString("id"),
      time: try object.int("time") ?? 0, kind: try object.word("kind"),
      scope: try object.word("scope"), request: try object.string("request") ?? "",
      notification: try object.string("notification") ?? "")
    owner = try object.string("owner")
    zone = try object.string("zone")
    record = try object.string("record")
    recordType = try object.string("recordType")
    user = try object.string("user")
    device = try object.string("device")
  }
}

extension Trace.Judgement {
  fileprivate var json: JSON {
    var object = JSONObject()
    object["user"] = .string(user)
    object["subscription"] = .string(subscription)
    object["scope"] = .string(scope.rawValue)
    object["verdict"] = .string(verdict.rawValue)
    object["reason"] = .string(reason)
    object["source"] = .string(source.rawValue)
    object["gates"] = .array(gates.map(\.json))
    object["devices"] = .array(devices.map(\.json))
    return .object(object)
  }

  fileprivate init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      user: try object.requiredString("user"),
      subscription: try object.requiredString("subscription"), scope: try object.word("scope"),
      verdict: try object.word("verdict"), reason: try object.string("reason") ?? "",
      source: try object.word("source"))
    gates = try Trace.Gate.all(in: object)
    devices = try eachElement(of: try object.array("devices") ?? [], in: "devices") {
      element throws(BrumeError) in try Trace.Device(element)
    }
  }
}

extension Trace.Device {
  fileprivate var json: JSON {
    var object = JSONObject()
    object["device"] = .string(device)
    object["channel"] = channel.map { .string($0) }
    object["verdict"] = .string(verdict.rawValue)
    object["reason"] = .string(reason)
    object["source"] = .string(source.rawValue)
    object["mergedInto"] = mergedInto.map { .string($0) }
    object["due"] = due.map { .int($0) }
    object["gates"] = .array(gates.map(\.json))
    object["attempts"] = .array(attempts.map(\.json))
    return .object(object)
  }

  fileprivate init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      device: try object.requiredString("device"), channel: try object.string("channel"),
      verdict: try object.word("verdict"), reason: try object.string("reason") ?? "",
      source: try object.word("source"))
    mergedInto = try object.string("mergedInto")
    due = try object.int("due")
    gates = try Trace.Gate.all(in: object)
    attempts = try eachElement(of: try object.array("attempts") ?? [], in: "attempts") {
      element throws(BrumeError) in try Trace.Attempt(element)
    }
  }
}

extension Trace.Gate {
  fileprivate var json: JSON {
    var object = JSONObject()
    object["gate"] = .string(name.rawValue)
    object["outcome"] = .string(outcome.rawValue)
    object["fact"] = .string(fact)
    object["source"] = .string(source.rawValue)
    return .object(object)
  }

  fileprivate static func all(in object: JSONObject) throws(BrumeError) -> [Trace.Gate] {
    try eachElement(of: try object.array("gates") ?? [], in: "gates") { gate throws(BrumeError) in
      Trace.Gate(
        try gate.word("gate"), try gate.word("outcome"), try gate.string("fact") ?? "",
        try gate.word("source"))
    }
  }
}

extension Trace.Attempt {
  fileprivate var json: JSON {
    var object = JSONObject()
    object["time"] = .int(time)
    object["verdict"] = .string(verdict.rawValue)
    object["attempt"] = .int(Int64(number))
    object["status"] = status.map { .int(Int64($0)) }
    object["reason"] = .string(reason)
    return .object(object)
  }

  fileprivate init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      time: try object.int("time") ?? 0, verdict: try object.word("verdict"),
      number: Int(clamping: try object.int("attempt") ?? 1),
      status: try object.int("status").map { Int(clamping: $0) },
      reason: try object.string("reason") ?? "")
  }
}

extension JSONObject {
  /// A word of a closed list.
  fileprivate func word<Word: RawRepresentable & CaseIterable>(
    _ key: String
  ) throws(BrumeError) -> Word where Word.RawValue == String {
    let text = try requiredString(key)
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw BrumeError(
        .badRequest, "'\(key)' must be one of \(known), not '\(NameRules.shown(text))'")
    }
    return word
  }
}
