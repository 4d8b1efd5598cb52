// How a query was answered, for operators: where its candidates came from, how many it looked at, and which
// indexes it lacks.

/// What one page of a query took.
package struct QueryCost: Equatable, Sendable {
  /// Where the candidates came from, in words: `index name`, `every record of the type`, `record names`.
  /// Several zones may be searched in several ways.
  package var sources: [String]
  /// Candidates that were looked at for this page.
  package var rows: Int
  /// Indexes that the schema lacks for the query. With one, the query is not run.
  package var missing: [IndexName]
  package init(sources: [String] = [], rows: Int = 0, missing: [IndexName] = []) {
    self.sources = sources
    self.rows = rows
    self.missing = missing
  }
}

/// An index of a field, such as one that a query needs and the schema does not have.
package struct IndexName: Equatable, Sendable {
  package let type: String
  /// As the schema has it: system fields by `___recordID` and its like.
  package let field: String
  /// `queryable`, `sortable` or `searchable`.
  package let index: String
  package init(type: String, field: String, index: String) {
    self.type = type
    self.field = field
    self.index = index
  }
  /// What adds it where the query was run. Production gets it from development: the next deployment would take
  /// away what only production has.
  package func command(in containerEnvironment: ContainerEnvironment) -> String {
    let container = "--container \(containerEnvironment.container.name)"
    let add =
      "brume schema index add \(type) \(field) \(index) \(container) --environment development"
    return switch containerEnvironment.environment {
    case .development: add
    case .production: "\(add) && brume schema deploy \(container)"
    }
  }
}

/// How often queries used an index, or were refused for lack of it.
package struct IndexUse: Equatable, Sendable {
  package let index: IndexName
  package var used: Int64
  package var lacked: Int64
  package init(_ index: IndexName, used: Int64 = 0, lacked: Int64 = 0) {
    self.index = index
    self.used = used
    self.lacked = lacked
  }
}
