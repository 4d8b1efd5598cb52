// Tables of what a server lists, or one JSON object a line for programs.

import BrumeModel
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

extension JSON {
  /// Milliseconds since 1970 as people read them.
  func withReadableTimes(_ keys: String...) -> JSON {
    guard case .object(var object) = self else { return self }
    for key in keys {
      guard let time = object[key]?.int else { continue }
      object[key] = .string(ISODate.text(time))
    }
    return .object(object)
  }

  /// An object with one more member.
  func adding(_ key: String, _ value: JSON) -> JSON {
    guard case .object(var object) = self else { return self }
    object[key] = value
    return .object(object)
  }
}
