// What became of the things that a command was given by name: each by itself, so some may be done where others are refused.

import BrumeModel
import BrumeWire

struct NamedItems {
  private var done: [(name: String, answer: JSON)] = []
  private var refusals: [String] = []
  /// Why the rest was not asked for.
  private var failure: (any Error)?

  /// Asks for as many at once as a request may have.
  ///
  /// - Parameter ask: answers a list with one answer for each name, in order.
  static func inParts(
    _ names: [String], _ ask: ([String]) async throws -> JSON?
  ) async -> NamedItems {
    var items = NamedItems()
    for part in names.pieces(of: Limits.apple.operationsPerRequest).map({ Array($0) }) {
      do {
        items.take(try await ask(part)?.array ?? [], of: part)
      } catch {
        items.failure = error
        break
      }
    }
    return items
  }

  private mutating func take(_ answers: [JSON], of names: [String]) {
    for (name, answer) in zip(names, answers) {
      if answer["serverErrorCode"] == nil {
        done.append((name, answer))
      } else {
        refusals.append("\(name): \(Wire.error(answer).reason)")
      }
    }
  }

  /// Prints what was done.
  ///
  /// - Parameter untouched: names with which nothing was to be done.
  /// - Throws: what was not, and why.
  func show(
    _ answer: AnswerOption, as list: String, said verb: String, but untouched: Set<String> = []
  ) throws {
    if !done.isEmpty {
      let names = done.map(\.name).filter { !untouched.contains($0) }.joined(separator: ", ")
      answer.show(
        [list: .array(done.map(\.answer))], said: names.isEmpty ? nil : "\(verb) \(names)")
    }
    guard refusals.isEmpty else {
      let rest = failure.map { ["the others were not tried: \($0)"] } ?? []
      throw CommandFailure((refusals + rest).joined(separator: "\n"))
    }
    if let failure { throw failure }
  }
}
