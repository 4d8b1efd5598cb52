// A record that many filters are asked about: the words of a text and the elements of a list are found once, and not
// for each filter. The answers are those of `Evaluate`; a test compares them. Without it one save of a long text costs
// as often its length as there are subscriptions that search it. What filters ask for is found once by `PreparedFilters`.

package import BrumeModel

/// One record, with what filters ask of it again and again.
package final class AskedRecord {
  package let record: Record
  private let searchable: (String) -> Bool
  private var words: [FieldName: Set<String>?] = [:]
  private var searchableWords: Set<String>??
  private var lists: [FieldName: ListElements?] = [:]
  /// How often a filter's text was cut into words to ask about this record: never if the filters were prepared.
  package private(set) var textsCut = 0

  /// - Parameter searchable: which fields `self CONTAINS` looks at.
  package init(_ record: Record, searchable: @escaping (String) -> Bool) {
    self.record = record
    self.searchable = searchable
  }

  /// One filter's answer; nil is unknown.
  package func answer(_ filter: Filter) -> Bool? {
    switch filter.comparator {
    case .containsAllTokens, .containsAnyTokens:
      words(wantedBy: filter).flatMap { answer(filter, words: $0) }
    case .listContains, .notListContains, .listContainsAny, .notListContainsAny, .listContainsAll,
      .notListContainsAll, .listMemberBeginsWith, .notListMemberBeginsWith:
      answerOfList(filter)
    default: Evaluate.answer(filter, record, searchable: searchable)
    }
  }

  /// The words of a filter's text, which is as long as who saved it liked.
  private func words(wantedBy filter: Filter) -> Set<String>? {
    textsCut += 1
    return Tokens.of(filter.value)
  }

  /// A search for words that are known already.
  func answer(_ filter: Filter, words wanted: Set<String>) -> Bool? {
    Evaluate.finds(wanted, filter.comparator, among: words(of: filter.field))
  }

  private func answerOfList(_ filter: Filter) -> Bool? {
    guard let field = filter.field, let list = elements(of: field) else { return nil }
    return switch filter.comparator {
    case .listContains: list.contains(filter.value)
    case .notListContains: list.contains(filter.value).map(!)
    case .listContainsAny: list.meets(filter.value)
    case .notListContainsAny: list.meets(filter.value).map(!)
    case .listContainsAll: list.holds(filter.value)
    case .notListContainsAll: list.holds(filter.value).map(!)
    case .listMemberBeginsWith: list.memberBegins(with: filter.value)
    case .notListMemberBeginsWith: list.memberBegins(with: filter.value).map(!)
    default: nil
    }
  }

  /// The words of a field, or of all that may be searched; nil: no text is there.
  package func words(of field: FieldName?) -> Set<String>? {
    guard let field else {
      if let known = searchableWords { return known }
      let found = record.searchableWords(searchable)
      searchableWords = .some(found)
      return found
    }
    if let known = words[field] { return known }
    let found = record.value(of: field).flatMap { Tokens.of($0) }
    words[field] = .some(found)
    return found
  }

  /// Nil: no list is there.
  private func elements(of field: FieldName) -> ListElements? {
    if let known = lists[field] { return known }
    let found = record.value(of: field).flatMap { ListElements($0) }
    lists[field] = .some(found)
    return found
  }
}
