// Schemas are stored as text, the form people read and edit. Parsing it for every request would be
// a waste, so the last parse is kept together with the text it came from: same text, same schema.

package import BrumeModel
package import BrumeSchema
package import BrumeStorage
import Synchronization

/// The schemas parsed last, one for each container environment. For calls from any thread.
package final class SchemaCache: Sendable {
  private struct Entry: Sendable {
    let text: [UInt8]
    let schema: Schema
  }
  private let entries = Mutex<[SettingKey: Entry]>([:])
  private let damaged: DamagedRows?

  /// - Parameter damaged: where a stored text that is no schema is noted.
  init(damaged: DamagedRows?) { self.damaged = damaged }

  /// The schema of a container environment as this transaction sees it.
  ///
  /// - Returns: an empty one if there is none yet.
  /// - Throws: what the transaction throws; `internalError` if the stored text is no schema.
  package func schema(
    of containerEnvironment: ContainerEnvironment, in transaction: any ReadTransaction
  ) throws -> Schema {
    try entry(of: containerEnvironment, in: transaction).schema
  }

  private func entry(
    of containerEnvironment: ContainerEnvironment, in transaction: any ReadTransaction
  ) throws -> Entry {
    let key = SettingKey.schema(containerEnvironment)
    guard let text = try transaction.settings.value(key) else {
      return Entry(text: [], schema: Schema())
    }
    if let entry = entries.withLock({ $0[key] }), entry.text == text { return entry }
    let entry = Entry(text: text, schema: try parsed(text, of: containerEnvironment))
    entries.withLock { $0[key] = entry }
    return entry
  }

  /// What cannot be parsed is no mistake of who asks: it is damaged, or a newer version's.
  private func parsed(
    _ text: [UInt8], of containerEnvironment: ContainerEnvironment
  ) throws(BrumeError) -> Schema {
    do {
      return try Schema(stored: String(decoding: text, as: UTF8.self))
    } catch {
      let container = containerEnvironment.container.name
      let place = "\(container), \(containerEnvironment.environment.rawValue)"
      damaged?.note("settings", "the schema of \(place): \(error.reason)")
      throw BrumeError(
        .internalError,
        "the schema of \(place) cannot be read by this version; the server's operator starts the version that "
          + "wrote it, or restores a backup")
    }
  }

  /// The schema of a database, ready to grow with what a save brings.
  func justInTime(
    for database: DatabaseKey, in transaction: any ReadTransaction, limits: Limits
  ) throws -> JustInTimeSchema {
    let entry = try entry(of: database.containerEnvironment, in: transaction)
    return JustInTimeSchema(
      entry.schema, bytes: entry.text.count, isStrict: database.environment == .production,
      limits: limits)
  }

  /// Stores a schema that has grown.
  func save(
    _ schema: JustInTimeSchema, for database: DatabaseKey, in transaction: any WriteTransaction
  ) throws {
    guard schema.didChange else { return }
    try transaction.settings.set(
      .schema(database.containerEnvironment), to: Array(schema.schema.text().utf8))
  }
}
