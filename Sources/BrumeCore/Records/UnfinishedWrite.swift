// A rule or a damaged row that is met when something is written already comes too late to fail alone: an answer would commit
// what was written by then. The transaction ends with nothing written, and whoever began it decides what is answered.

import BrumeModel
import BrumeStorage

/// Thrown by a transaction of which a part was written. It is no `BrumeError`, so that it becomes nobody's answer there.
struct UnfinishedWrite: Error {
  let zone: ZoneKey
  let error: BrumeError

  /// Writes in a zone, in several steps.
  ///
  /// - Throws: `UnfinishedWrite` for any `BrumeError`.
  static func whole<Value>(in zone: ZoneKey, _ steps: () throws -> Value) throws -> Value {
    do {
      return try steps()
    } catch let error as BrumeError {
      throw UnfinishedWrite(zone: zone, error: error)
    }
  }
}
