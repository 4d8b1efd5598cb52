// Which fields of which record types `self CONTAINS` looks at, for one batch of the log.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage

struct SearchableFields: Sendable {
  private struct RecordTypeKey: Hashable, Sendable {
    let containerEnvironment: ContainerEnvironment
    let type: String
  }
  private var known: [RecordTypeKey: Set<String>] = [:]

  mutating func learn(
    _ type: String, _ database: DatabaseKey, _ schemas: SchemaCache,
    _ transaction: any ReadTransaction
  ) throws {
    let key = RecordTypeKey(containerEnvironment: database.containerEnvironment, type: type)
    guard known[key] == nil else { return }
    let schema = try schemas.schema(of: database.containerEnvironment, in: transaction)
    let fields = schema.recordTypes[type]?.fields ?? [:]
    known[key] = Set(fields.filter { $0.value.indexes.contains(.searchable) }.keys)
  }

  func names(_ type: String?, _ database: DatabaseKey) -> Set<String> {
    guard let type else { return [] }
    let key = RecordTypeKey(containerEnvironment: database.containerEnvironment, type: type)
    return known[key] ?? []
  }
}
