// What is kept of long texts to compare them. A match has the beginning of each and says whether two are the same. For
// those that begin alike and differ the records are needed: one is compared some ten times, and read anew only if many
// others were read in between.

package import BrumeModel
import BrumeStorage

/// A text of which a match has only the beginning.
struct LongText: Equatable, Sendable {
  private let bytes: Int
  /// Of all bytes, by a key of this process that nobody outside knows, so that nobody can make two texts with the same.
  private let hash: Int

  init(_ text: String) {
    bytes = text.utf8.count
    hash = ByteText(text).hashValue
  }
}

/// Records with the whole texts that they are sorted by, those that were needed last.
package final class WholeTexts {
  fileprivate struct Key: Hashable {
    let zone: Int64
    let name: ByteText
  }

  private let most: Int
  private var records: [Key: Record] = [:]
  /// What was not asked for since `records` began.
  private var older: [Key: Record] = [:]
  /// Of the texts in `records`.
  private var bytes = 0

  /// - Parameter most: bytes of texts that are kept, of two records more at most.
  package init(most: Int) { self.most = most }

  /// The record of a match; nil: it was not kept, or not long enough.
  package func record(of match: SortedMatch) -> Record? {
    let key = Key(match)
    if let record = records[key] { return record }
    guard let record = older.removeValue(forKey: key) else { return nil }
    keep(record, key)
    return record
  }

  /// Keeps what the sorts need of a match's record.
  package func keep(_ record: Record, of match: SortedMatch, _ sorts: [Sort]) {
    keep(record.keeping(sorts) { $0 }, Key(match))
  }

  private func keep(_ record: Record, _ key: Key) {
    guard records.updateValue(record, forKey: key) == nil else { return }
    bytes += record.fields.values.reduce(0) { $0 + $1.size }
    guard bytes > most / 2 else { return }
    (older, records, bytes) = (records, [:], 0)
  }
}

extension WholeTexts.Key {
  fileprivate init(_ match: SortedMatch) {
    self.init(zone: match.zone, name: ByteText(match.name))
  }
}
