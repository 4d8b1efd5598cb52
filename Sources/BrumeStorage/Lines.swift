// A list of texts without line ends, such as names, in one column: each is a line that ends. So no text and an
// empty one are two things. Engines store this: never change it.

package enum Lines {
  package static func text(_ texts: [String]) -> String { texts.map { $0 + "\n" }.joined() }

  package static func texts(_ text: String) -> [String] {
    text.utf8.split(separator: 10, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
