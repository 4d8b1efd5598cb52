// What a schema would become, for operators: each step, what follows from it, and whether it is allowed.
// The steps themselves are BrumeSchema's.

/// The steps from one schema to another.
package struct SchemaDifference: Equatable, Sendable {
  /// One step, in words.
  package struct Step: Equatable, Sendable {
    /// For example `add field Contact.name STRING`.
    package var text: String
    /// What it means for data and apps, in a sentence.
    package var consequence: String
    /// The record type that goes, with its records; nil for every other step.
    package var dropped: String?
    /// Why the step is not allowed; nil when it is.
    package var obstacle: String?
    package init(
      _ text: String, consequence: String, dropped: String? = nil, obstacle: String? = nil
    ) {
      self.text = text
      self.consequence = consequence
      self.dropped = dropped
      self.obstacle = obstacle
    }
  }
  package var steps: [Step]
  package init(_ steps: [Step]) { self.steps = steps }

  /// Whether every step may be done.
  package var isAllowed: Bool { steps.allSatisfy { $0.obstacle == nil } }
  /// Record types that go.
  package var dropped: [String] { steps.compactMap(\.dropped) }
}

/// Where a text in the schema language is wrong. Lines and columns are counted from 1.
package struct SchemaFault: Error, Equatable, Sendable {
  package let line: Int
  package let column: Int
  package let message: String
  package init(line: Int, column: Int, _ message: String) {
    self.line = line
    self.column = column
    self.message = message
  }

  /// The same as the error of a request that brought the text.
  package var error: BrumeError {
    BrumeError(.badRequest, "line \(line), column \(column): \(message)")
  }
}
