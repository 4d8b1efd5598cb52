// Tables of what a server lists, or one JSON object a line for programs.

import BrumeWire

/// Shows a list of JSON objects.
struct Listing {
  let columns: [String]
  init(_ columns: [String]) { self.columns = columns }

  /// - Returns: how wide each column was, for a table that goes on.
  @discardableResult func show(
    _ items: [JSON], asJSON: Bool, heading: Bool = true, atLeast widths: [Int] = []
  ) -> [Int] {
    guard !asJSON else {
      for item in items { Output.line(item.bytes()) }
      return widths
    }
    let rows = items.map { item in
      columns.map { column in
        switch item[column] {
        case .string(let text) where !text.isEmpty: text
        case .int(let number): "\(number)"
        case .array(let texts): texts.compactMap(\.string).joined(separator: ",")
        default: "-"
        }
      }
    }
    return Output.table(heading ? [columns] + rows : rows, atLeast: widths)
  }
}
