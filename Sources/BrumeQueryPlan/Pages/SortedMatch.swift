// Matches of a sorted query and their order, from which a page is cut by its offset.

package import BrumeModel
import BrumePredicate
package import BrumeStorage

/// A match, fetched and decoded as far as somebody needed it.
package struct SortedMatch: Sendable {
  /// The engine's number of the zone.
  package let zone: Int64
  package let name: String
  /// The engine's number of the record, if it has one and knows it.
  package let row: Int64?
  package var stored: StoredRecord?
  /// With the fields that the order depends on and no others, of long texts the beginnings: a page brings few of many
  /// matches.
  package private(set) var record: Record?
  /// Those of which the record has the beginnings, by field.
  private var longTexts: [String: LongText] = [:]
  /// Of the record as it is stored; 0: nobody has looked at it.
  package private(set) var byteCount = 0

  package init(zone: Int64, name: String, row: Int64? = nil, stored: StoredRecord? = nil) {
    self.zone = zone
    self.name = name
    self.row = row
    self.stored = stored
  }

  /// The match with what its place in the order depends on; its bytes are let go.
  ///
  /// - Parameter bytes: of the record as it is stored.
  package func keyed(by record: Record?, bytes: Int = 0, _ sorts: [Sort]) -> SortedMatch {
    var match = SortedMatch(zone: zone, name: name, row: row)
    match.byteCount = bytes
    match.record = record?.keeping(sorts) { $0.beginning }
    for case .field(let name) in sorts.map(\.field) {
      match.longTexts[name] = record?.fields[name]?.longText
    }
    return match
  }

  /// Whether there is more of a text than the record has.
  package var hasLongTexts: Bool { !longTexts.isEmpty }

  /// The place of the first sort for which the beginnings of two texts are the same and the texts are not.
  fileprivate func firstOpen(of sorts: [Sort], beside other: SortedMatch) -> Int? {
    guard hasLongTexts, other.hasLongTexts else { return nil }
    return sorts.firstIndex { sort in
      guard sort.relativeLocation == nil, case .field(let name) = sort.field,
        let text = longTexts[name], let others = other.longTexts[name], text != others
      else { return false }
      return record?.fields[name] == other.record?.fields[name]
    }
  }
}

extension [SortedMatch] {
  /// Matches that are `keyed`, in the order of the sorts.
  ///
  /// - Parameter whole: answers the record of a match with its long texts, or fetches it.
  package func inOrder(
    of sorts: [Sort], whole: (SortedMatch) throws -> Record?
  ) rethrows -> [SortedMatch] {
    try sorted { a, b in
      guard let x = a.record, let y = b.record else { return false }
      guard let open = a.firstOpen(of: sorts, beside: b) else {
        return Evaluate.precedes(x, y, sorts)
      }
      if let answer = Evaluate.precedes(x, y, by: sorts[..<open]) { return answer }
      guard let x = try whole(a), let y = try whole(b) else { return false }
      return Evaluate.precedes(x, y, sorts)
    }
  }
}

extension Record {
  /// The record with no other fields than the sorts look at.
  ///
  /// - Parameter part: what is kept of a value.
  func keeping(_ sorts: [Sort], _ part: (FieldValue) -> FieldValue) -> Record {
    var kept = self
    kept.shareDetails = nil
    kept.fields = [:]
    for sort in sorts {
      guard case .field(let name) = sort.field else { continue }
      kept.fields[name] = fields[name].map(part)
    }
    return kept
  }
}

extension FieldValue {
  /// Ours: bytes of a text that are kept to sort by. A longer one is cut behind more than these, so that it is equal to
  /// no text that is kept whole.
  private static let sortedBytes = 1024

  fileprivate var longText: LongText? {
    guard case .string(let text) = self, text.utf8.count > Self.sortedBytes else { return nil }
    return LongText(text)
  }

  fileprivate var beginning: FieldValue {
    guard case .string(let text) = self, text.utf8.count > Self.sortedBytes else { return self }
    var bytes = 0
    let scalars = text.unicodeScalars
    let end = scalars.firstIndex {
      bytes += UTF8.width($0)
      return bytes > Self.sortedBytes
    }
    return end.map { .string(String(scalars[...$0])) } ?? self
  }
}

/// The place of a page among the matches in their order.
package struct SortedPage: Sendable {
  private let request: EngineQuery
  private let offset: Int

  package init(_ request: EngineQuery) {
    self.request = request
    offset = Swift.max(0, request.after?.offset ?? 0)
  }

  /// How many of the first matches are needed: one more than the page's last shows whether more follow.
  package var count: Int { offset + request.limit + 1 }

  /// The matches of the page, if it may have any number of bytes.
  package func slice(of matches: [SortedMatch]) -> ArraySlice<SortedMatch> {
    matches.dropFirst(offset).prefix(request.limit)
  }

  /// The page from its matches, which were fetched, of `total` matches.
  package func page(
    _ fetched: [SortedMatch], of total: Int, _ zones: [SearchedZone]
  ) -> EngineQueryPage {
    let page = request.fitting(fetched) { $0.stored?.byteCount ?? 0 }
    func name(of number: Int64) -> String? { zones.first { $0.number == number }?.name }
    var records: [StoredRecord] = []
    for match in page {
      guard let stored = match.stored else { continue }
      records.append(stored.placed(in: name(of: match.zone), of: request.database))
    }
    guard let last = page.last, total > offset + page.count else {
      return EngineQueryPage(records: records, next: nil)
    }
    let zoneName = name(of: last.zone) ?? ""
    let next = QueryPosition(offset: offset + page.count, zone: zoneName, name: last.name)
    return EngineQueryPage(records: records, next: next)
  }
}
