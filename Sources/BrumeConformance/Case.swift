// A case: what to ask a server and what its answers must look like, with the source of the claim.
// It is written as YAML in `Conformance/cases/<feature>/`; the language is in `docs/conformance.md`.

import BrumeWire

/// A case file that cannot be read: where, and what is wrong with it.
package struct CaseError: Error, Equatable, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}

/// One case, as it is written.
package struct Case: Equatable, Sendable {
  /// `feature/file: sentence`, and the row's name in a table.
  package let name: String
  /// IDs of known behaviours, such as `SAV-01`.
  package let ids: [String]
  /// Who says so.
  package let source: String
  /// What the case needs beyond one user: `second user`, `key`, `operator`, or a setting by name.
  package let needs: [String]
  /// Custom zones made for the case in the first user's private database, by variable.
  let zones: [String]
  /// Values that each step may use: the columns of a table.
  let values: [JSONObject.Member]
  let steps: [Step]
}

/// One request and what its answer must be.
struct Step: Equatable, Sendable {
  /// `records/query`, or a whole path that begins with a slash.
  var call: String
  var method: String
  var database: String
  /// `first`, `second`, `anonymous` (API token only), `key`, `operator` or `nobody`.
  var caller: String
  var contentType: String?
  /// An object.
  var query: JSON
  /// Seconds to wait before the call, such as an answer's `retryAfter`; null for none.
  var wait: JSON
  /// How often the call is made; the last answer counts.
  var times: Int
  /// Nil sends no body.
  var body: JSON?
  /// A body as it is, instead of JSON.
  var text: String?
  var status: JSON
  var headers: [JSONObject.Member]
  var pattern: JSON?
  /// The name of a token: the call is repeated with it while more is coming, and the last answer is
  /// the one that counts.
  var drain: String?
  /// Variable and the place of its value in the answer.
  var keep: [JSONObject.Member]
}

extension Case {
  /// Reads one case; a table gives one for each row.
  static func read(_ json: JSON, in file: String) throws(CaseError) -> [Case] {
    guard case .object(let object) = json, let sentence = json["case"]?.string else {
      throw CaseError("\(file): a case has no 'case: sentence'")
    }
    let place = "\(file): \(sentence)"
    try object.check(
      ["case", "id", "source", "needs", "zones", "each", "steps", "let"], place)
    guard let source = json["source"]?.string else {
      throw CaseError("\(place): 'source' is missing; say who claims this")
    }
    guard let list = json["steps"]?.array, !list.isEmpty else {
      throw CaseError("\(place): 'steps' is missing")
    }
    var steps: [Step] = []
    for step in list { steps.append(try Step(step, place)) }
    let fixed = json["let"]?.object?.members ?? []
    return (json["each"]?.array ?? [.object(JSONObject())]).map { row in
      let columns = row.object?.members ?? []
      let label = columns.map { "\($0.key) \($0.value.shown)" }.joined(separator: ", ")
      return Case(
        name: label.isEmpty ? place : "\(place) (\(label.prefix(120)))", ids: json.words("id"),
        source: source, needs: json.words("needs"), zones: json.words("zones"),
        values: columns + fixed, steps: steps)
    }
  }
}

extension Step {
  init(_ json: JSON, _ place: String) throws(CaseError) {
    guard case .object(let object) = json, let call = json["call"]?.string else {
      throw CaseError("\(place): a step has no 'call'")
    }
    try object.check(
      [
        "call", "method", "in", "as", "type", "query", "wait", "times", "body", "text", "status",
        "headers", "expect", "drain", "keep",
      ], place)
    self.call = call
    let isList = call.hasSuffix("/list") || call == "users/caller" || call == "users/current"
    let isGet = isList && object["body"] == nil
    method = json["method"]?.string ?? (isGet ? "GET" : "POST")
    database = json["in"]?.string ?? "private"
    caller = json["as"]?.string ?? "first"
    contentType = json["type"]?.string
    query = json["query"] ?? .object(JSONObject())
    wait = json["wait"] ?? .null
    times = Int(clamping: json["times"]?.int ?? 1)
    text = json["text"]?.string
    body = json["body"] ?? (method == "POST" && text == nil ? .object(JSONObject()) : nil)
    status = json["status"] ?? 200
    headers = json["headers"]?.object?.members ?? []
    pattern = json["expect"]
    drain = json["drain"]?.string
    keep = json["keep"]?.object?.members ?? []
  }
}

extension JSONObject {
  /// A key that nobody reads would be a check that nobody makes.
  fileprivate func check(_ known: Set<String>, _ place: String) throws(CaseError) {
    for member in members where !known.contains(member.key) {
      throw CaseError("\(place): '\(member.key)' means nothing here")
    }
  }
}

extension JSON {
  /// One word, or a list of words.
  fileprivate func words(_ key: String) -> [String] {
    if let word = self[key]?.string { return [word] }
    return self[key]?.array?.compactMap(\.string) ?? []
  }

  /// As text, for names and reports.
  var shown: String {
    if case .string(let text) = self { return text }
    return String(decoding: bytes(), as: UTF8.self)
  }
}
