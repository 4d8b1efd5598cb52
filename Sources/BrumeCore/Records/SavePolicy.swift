// What an operation does to a record, from the operation's kind and change tag and from what is
// stored. This is the whole of conflict detection (cases SAV-03 to SAV-11, DEL-02). It decides;
// `RecordRules` and `ShareRules` carry it out.

package import BrumeModel

/// Decides about one operation on one record.
package enum SavePolicy {
  /// What the operation does.
  package enum Decision: Equatable, Sendable {
    /// A new record.
    case insert
    /// A new state of this one.
    case change(Record)
    case remove(Record)
    /// There is nothing to delete, which is what the caller wanted.
    case nothing
  }

  /// What an operation does to the record of its name.
  ///
  /// - Parameter tag: the change tag that came with it; nil: none did.
  /// - Parameter stored: nil: there is none that the caller may see.
  /// - Throws: `conflict`, with the stored record, if it is another version or there already; `notFound` if
  ///   there is none to update.
  package static func decide(
    _ kind: RecordOperation.Kind, tag: String?, stored: Record?
  ) throws(BrumeError) -> Decision {
    switch (kind, stored) {
    case (.create, nil), (.forceUpdate, nil), (.forceReplace, nil):
      return .insert
    case (.create, let stored?):
      // CloudKit: live answers say so (case SAV-05).
      throw conflict(
        "record to insert already exists", with: stored,
        "update it with this tag, or give the new record another name")
    case (.update, nil), (.replace, nil):
      throw recordNotFound
    case (.update, let stored?), (.replace, let stored?):
      guard tag == stored.changeTag else {
        let what = "client oplock error updating record"
        throw tag == nil
          ? conflict(
            "\(what), sent without 'recordChangeTag'", with: stored,
            "send the tag of the version that you changed, or use forceUpdate or forceReplace")
          : conflict(what, with: stored, "merge into the server's record and save that")
      }
      return .change(stored)
    case (.forceUpdate, let stored?), (.forceReplace, let stored?):
      return .change(stored)
    case (.delete, nil), (.forceDelete, nil):
      return .nothing
    case (.delete, let stored?):
      // CloudKit: over HTTP clients also send a delete without a tag (docs/differences.md).
      guard tag == nil || tag == stored.changeTag else {
        throw conflict(
          "client oplock error deleting record", with: stored,
          "look at the server's record, and delete it with this tag, or use forceDelete")
      }
      return .remove(stored)
    case (.forceDelete, let stored?):
      return .remove(stored)
    }
  }

  /// There is no such record, or none that the caller may see.
  package static let recordNotFound = BrumeError(
    .notFound,
    "Record not found: it was deleted, or never saved; to make it anew, create it, or save it "
      + "without a change tag")

  private static func conflict(
    _ what: String, with stored: Record, _ next: String
  ) -> BrumeError {
    var error = BrumeError(
      .conflict,
      "\(what): '\(stored.name)' has change tag '\(stored.changeTag)' on the server; \(next)")
    error.serverRecord = stored
    return error
  }
}
