// What an operator sees of the work on indexes: every 100,000 records, and when one is
// complete. Small ones, and what saves left for later, are not worth a line each.

package import Logging

/// Writes about the steps of a growing index.
package struct IndexLog {
  /// Ours: records between two lines.
  private static let interval = 100_000

  private let logger: Logger
  /// Records taken in so far.
  private var records: [RecordTypeRowKey: Int] = [:]

  package init(_ logger: Logger) { self.logger = logger }

  /// A step has ended.
  package mutating func note(_ step: IndexStep) {
    let before = records[step.type] ?? 0
    let now = before + step.records
    records[step.type] = step.isLast ? nil : now
    if step.isLast {
      let isLarge = now >= Self.interval
      say(isLarge ? .info : .debug, "the index of fields is complete", step, now)
    } else if before / Self.interval != now / Self.interval {
      say(.info, "the index of fields grows", step, now)
    }
  }

  private func say(_ level: Logger.Level, _ text: Logger.Message, _ step: IndexStep, _ count: Int) {
    logger.log(
      level: level, text,
      metadata: [
        "index.zone": "\(step.type.zone)", "index.type": "\(step.type.type)",
        "index.fields": "\(step.fields.sorted().joined(separator: ","))",
        "index.records": "\(count)",
      ])
  }
}
