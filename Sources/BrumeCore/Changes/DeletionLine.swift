// What a change feed remembers of a deleted record: its type, and the shares that covered it, so that
// participants get the deletions that concern them and no others. Engines keep it as the
// deletion's type; types and share names are printable ASCII, so a line break parts them.

struct DeletionLine: Equatable, Sendable {
  let type: String
  let shares: [String]

  init(type: String, shares: [String]) {
    self.type = type
    self.shares = shares
  }

  init(_ text: String) {
    let parts = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    type = parts[0]
    shares = Array(parts.dropFirst())
  }

  var text: String { ([type] + shares).joined(separator: "\n") }
}
