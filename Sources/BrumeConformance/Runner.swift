// The runner runs cases against a server, one after the other, and says what became of each. Every case has
// names of its own, so that runs do not meet, and takes away what it made.

import BrumeClient
import BrumeModel
import BrumeWire

/// What became of one case.
package struct Outcome: Equatable, Sendable {
  /// Whether the case held.
  package enum Result: Equatable, Sendable {
    case passed
    /// What was wrong.
    case failed([String])
    /// Why it could not run.
    case skipped(String)
  }
  package let name: String
  package let ids: [String]
  package let source: String
  package let result: Result
}

/// Runs cases against one target.
package struct Runner: Sendable {
  let target: Target
  /// Part of every name that cases make.
  let label: String
  /// What every reply must be within, whatever a case asks of it.
  let description: Description?
  /// Ours: seconds for which a case waits because a server says so, and pages that it reads. A server that asks for more
  /// has a mistake.
  private static let longestWait = 60.0
  private static let mostPages = 1000

  /// - Parameter label: distinguishes runs on one server: letters and digits.
  package init(_ target: Target, label: String, description: Description? = nil) {
    self.target = target
    self.label = label
    self.description = description
  }

  /// Runs cases in their order, reporting each outcome as it is known.
  ///
  /// - Returns: the outcomes.
  /// - Throws: why nothing could run: `CaseError`, or what the transport throws; `CancellationError` when it was
  ///   cancelled, and the case that ran then has taken away what it made.
  package func run(
    _ cases: [Case], each: (Outcome) async -> Void = { _ in }
  ) async throws -> [Outcome] {
    var known = Variables()
    known["container"] = .string(target.container.name)
    known["environment"] = .string(target.environment.rawValue)
    known["url"] = .string(target.url)
    for (name, token) in [("first", target.firstUser), ("second", target.secondUser)] {
      if token != nil { known[name] = try await recordName(of: name) }
    }
    var outcomes: [Outcome] = []
    for (index, test) in cases.enumerated() {
      known["unique"] = .string("\(label)-\(index)")
      let outcome = Outcome(
        name: test.name, ids: test.ids, source: test.source,
        result: await result(of: test, known))
      try Task.checkCancellation()
      outcomes.append(outcome)
      await each(outcome)
    }
    return outcomes
  }

  private func recordName(of user: String) async throws -> JSON {
    let step = try Step(["call": "users/caller", "in": "public", "as": .string(user)], "users")
    let answer = try await target.transport.send(target.request(step))
    guard let name = (try? JSON(parsing: answer.body))?["userRecordName"] else {
      throw CaseError(
        "the server at \(target.url) does not know the \(user) user: it answered "
          + String(decoding: answer.body.prefix(400), as: UTF8.self))
    }
    return name
  }

  private func result(of test: Case, _ known: Variables) async -> Outcome.Result {
    if let reason = target.missing(for: test) { return .skipped(reason) }
    var createdItems = CreatedItems()
    var problems: [String] = []
    do {
      problems = try await play(test, known, &createdItems)
    } catch {
      problems = ["\(error)"]
    }
    // In a task of its own, which goes on when this one is cancelled.
    problems += await Task { [createdItems] in await cleanUp(createdItems) }.value
    return problems.isEmpty ? .passed : .failed(problems)
  }

  /// Stops at the first step that goes wrong: what follows would only repeat it.
  private func play(
    _ test: Case, _ known: Variables, _ createdItems: inout CreatedItems
  ) async throws -> [String] {
    var variables = known
    for zone in test.zones {
      let name = "\(zone)-\(known["unique"]?.string ?? "")"
      variables[zone] = .string(name)
      let step = try Step(
        [
          "call": "zones/modify",
          "body": [
            "operations": [
              ["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]
            ]
          ],
        ], test.name)
      let problems = try await send(step, "making the zone \(zone)", &variables, &createdItems)
      if !problems.isEmpty { return problems }
    }
    for member in test.values { variables[member.key] = try variables.fill(member.value) }
    for (index, step) in test.steps.enumerated() {
      let place = "step \(index + 1), \(step.call)"
      let problems = try await send(try step.filled(variables), place, &variables, &createdItems)
      if !problems.isEmpty { return problems }
    }
    return []
  }

  private func send(
    _ step: Step, _ place: String, _ variables: inout Variables, _ createdItems: inout CreatedItems
  ) async throws -> [String] {
    var step = step
    if let seconds = step.wait.double {
      if seconds > Self.longestWait { return ["\(place): it would have to wait for \(seconds) s"] }
      try await target.wait(seconds)
    }
    var request = try target.request(step)
    var answer: HTTPAnswer
    do { answer = try await self.answer(to: request, times: step.times) } catch {
      createdItems.lost(step)
      throw error
    }
    if let endless = try await drain(&step, &request, &answer) { return ["\(place): \(endless)"] }
    let text = String(decoding: answer.body, as: UTF8.self)
    let json = try? JSON(parsing: answer.body)
    createdItems.took(step, answer: json ?? .null)
    let status = JSON.int(Int64(answer.status))
    var problems = Pattern.mismatches(status, step.status, at: "\(place): the status")
    if !problems.isEmpty { return problems.map { "\($0): \(text.prefix(600))" } }
    let outside = description?.problems(
      method: request.method, target: request.target, status: answer.status,
      reply: json ?? .null)
    problems += (outside ?? []).map { "\(place): outside the description: \($0)" }
    for header in step.headers {
      let value = answer.header(header.key).map { JSON.string($0) }
      problems += Pattern.mismatches(value, header.value, at: "\(place): header \(header.key)")
    }
    if let pattern = step.pattern {
      problems += Pattern.mismatches(json ?? .string(text), pattern, at: "\(place): ")
    }
    for member in step.keep {
      let value = Variables.value(at: member.value.shown, of: json ?? .null)
      if value == nil { problems.append("\(place): nothing to keep at \(member.value.shown)") }
      variables[member.key] = value
    }
    return problems
  }

  private func answer(to request: HTTPCall, times: Int) async throws -> HTTPAnswer {
    for _ in 1..<max(1, times) { _ = try await target.transport.send(request) }
    return try await target.transport.send(request)
  }

  /// Goes on while more is coming. Answers why that has no end.
  private func drain(
    _ step: inout Step, _ request: inout HTTPCall, _ answer: inout HTTPAnswer
  ) async throws -> String? {
    guard let token = step.drain else { return nil }
    for _ in 0..<Self.mostPages {
      guard let page = try? JSON(parsing: answer.body), page["moreComing"] == true,
        case .object(var body)? = step.body
      else { return nil }
      guard let next = page[token], next != body[token] else {
        return "more is coming, and '\(token)' is not a new one"
      }
      body[token] = next
      step.body = .object(body)
      request = try target.request(step)
      answer = try await target.transport.send(request)
    }
    return "more is coming after \(Self.mostPages) pages"
  }

  private func cleanUp(_ createdItems: CreatedItems) async -> [String] {
    var problems: [String] = []
    for item in createdItems.steps {
      do {
        var step = try Step(["call": .string(item.call), "as": .string(item.caller)], "clean-up")
        step.database = item.database
        step.body = try JSON(parsing: Array(item.body.utf8))
        let answer = try await target.transport.send(target.request(step))
        if answer.status != 200 { problems.append("clean-up of \(item.body): \(answer.status)") }
      } catch {
        problems.append("clean-up of \(item.body): \(error)")
      }
    }
    return problems
  }
}

extension Step {
  /// With the values of variables.
  fileprivate func filled(_ variables: Variables) throws(CaseError) -> Step {
    var step = self
    step.call = try variables.fill(call).shown
    step.database = try variables.fill(database).shown
    step.caller = try variables.fill(caller).shown
    step.method = try variables.fill(method).shown
    step.query = try variables.fill(query)
    step.wait = try variables.fill(wait)
    if let body { step.body = try variables.fill(body) }
    if let text { step.text = try variables.fill(text).shown }
    if let pattern { step.pattern = try variables.fill(pattern) }
    step.status = try variables.fill(status)
    step.headers = try variables.fill(headers)
    step.keep = try variables.fill(keep)
    return step
  }
}
