// Tables of what a server lists, or one JSON object a line for programs.

import BrumeModel
import BrumeWire

/// Shows a list of JSON objects.
struct Listing {
  private let columns: [String]
  /// Those of milliseconds since 1970, which people get to see as dates.
  private let times: Set<String>

  init(_ columns: [String], times: Set<String> = []) {
    (self.columns, self.times) = (columns, times)
  }

  /// - Parameter widths: of the columns, for a table that goes on; empty: it begins, with its heading.
  /// - Returns: how wide each column was, for a table that goes on.
  @discardableResult func show(
    _ items: [JSON], asJSON: Bool, after widths: [Int] = []
  ) -> [Int] {
    guard !asJSON else {
      for item in items { Output.line(item.bytes()) }
      return widths
    }
    let rows = items.map { item in columns.map { text(item[$0], isTime: times.contains($0)) } }
    return Output.table(widths.isEmpty ? [columns] + rows : rows, atLeast: widths)
  }

  private func text(_ value: JSON?, isTime: Bool) -> String {
    switch value {
    case .string(let text) where !text.isEmpty: text
    case .int(let time) where isTime: ISODate.text(time)
    case .int(let number): "\(number)"
    case .array(let texts): texts.compactMap(\.string).joined(separator: ",")
    default: "-"
    }
  }
}

extension JSON {
  /// An object with one more member.
  func adding(_ key: String, _ value: JSON) -> JSON {
    guard case .object(var object) = self else { return self }
    object[key] = value
    return .object(object)
  }
}
