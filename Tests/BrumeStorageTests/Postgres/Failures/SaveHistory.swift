// What writers were answered about their saves in one database, compared with what is there in the end.

/// Each save has a name of its own, puts a record of that name and appends its change to the log.
struct SaveHistory {
  enum Answer: Equatable {
    /// With this sequence.
    case saved(Int64)
    /// Nothing of it happened.
    case refused
    /// Nobody can say.
    case unknown
  }
  /// A line of the feed or an entry of the log.
  typealias Line = (number: Int64, name: String)

  private(set) var answers: [String: Answer] = [:]

  var savedCount: Int {
    answers.values.count { if case .saved = $0 { true } else { false } }
  }

  mutating func note(_ name: String, _ answer: Answer) { answers[name] = answer }

  /// What is wrong, in sentences; none if all is well.
  ///
  /// - Parameters:
  ///   - feed: the database's changes by sequence, as they are read.
  ///   - log: the entries of its bucket by position.
  func faults(feed: [Line], log: [Line]) -> [String] {
    gaps(feed, "the feed") + gaps(log, "the log") + promises(feed) + repetitions(log)
      + (feed.map(\.name) == log.map(\.name) ? [] : ["log and feed have different orders"])
  }

  private func gaps(_ lines: [Line], _ what: String) -> [String] {
    lines.map(\.number) == Array(1..<Int64(lines.count) + 1) ? [] : ["\(what) is not 1, 2, 3 …"]
  }

  /// Each answer against the feed.
  private func promises(_ feed: [Line]) -> [String] {
    let sequences = Dictionary(feed.map { ($0.name, $0.number) }) { first, _ in first }
    let broken = answers.compactMap { name, answer -> String? in
      switch (answer, sequences[name]) {
      case (.saved(let answered), let found) where answered != found:
        "\(name) was saved with \(answered), and has \(found.map { "\($0)" } ?? "gone")"
      case (.refused, .some): "\(name) was refused, and is there"
      default: nil
      }
    }
    let unasked = sequences.keys.filter { answers[$0] == nil }.map { "nobody saved \($0)" }
    return broken.sorted() + unasked.sorted() + sequencesGivenTwice
  }

  private var sequencesGivenTwice: [String] {
    let given = answers.values.compactMap { answer in
      if case .saved(let sequence) = answer { sequence } else { nil }
    }
    return Set(given).count == given.count ? [] : ["a sequence was given twice"]
  }

  /// The feed has each name once, whatever happened; the log has each time.
  private func repetitions(_ log: [Line]) -> [String] {
    Dictionary(grouping: log, by: \.name).filter { $0.value.count > 1 }.keys.sorted()
      .map { "\($0) is in the log more than once" }
  }
}
