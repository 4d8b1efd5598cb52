// A list of texts without line ends, such as names, in one column: each is a line that ends. So no text and an
// empty one are two things. Engines store this: never change it.

/// Several texts as one, and back.
package enum Lines {
  /// The texts as lines; none of them may have a line feed.
  package static func text(_ texts: [String]) -> String { texts.map { $0 + "\n" }.joined() }

  /// The same for a column that is null where there are none.
  package static func column(_ texts: [String]) -> String? { texts.isEmpty ? nil : text(texts) }

  /// The texts of such a column.
  package static func texts(ofColumn column: String?) -> [String] { column.map(texts) ?? [] }

  /// The lines of a text; what follows the last line feed is left out.
  package static func texts(_ text: String) -> [String] {
    text.utf8.split(separator: 10, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
