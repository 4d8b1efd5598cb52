// What a run says: one line of the table for each figure, and for each part that gave none the reason.

import Foundation

struct Row {
  let name: String
  var ours = ""
  var baseline = ""
  var ratio = ""
  /// Against what must be and what is aimed at, or why there is no figure.
  var verdict = ""
}

/// Why a part cannot be measured on this machine. That is no failure.
struct NotMeasured: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

final class Table {
  private var rows: [Row] = []
  private(set) var failures = 0

  /// Says the row at once on standard error, for whoever waits; the table comes at the end.
  func add(_ row: Row) {
    rows.append(row)
    let parts = [
      row.ours, row.baseline, row.ratio.isEmpty ? "" : "ratio \(row.ratio)", row.verdict,
    ]
    say("  \(row.name): " + parts.filter { !$0.isEmpty }.joined(separator: "; "))
  }

  /// Measures a part. Whatever it throws is a row, and the other parts go on.
  func measure(_ part: String, _ body: () throws -> Void) {
    say(part)
    do {
      try body()
    } catch let error as NotMeasured {
      add(Row(name: part, verdict: "not measured: \(error.reason)"))
    } catch {
      failures += 1
      add(Row(name: part, verdict: "FAILED: \(error)"))
    }
  }

  func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

  /// All rows under their headings, as wide as their widest cell.
  var text: String {
    let cells =
      [["what", "ours", "baseline", "ratio", "verdict"]]
      + rows.map { [$0.name, $0.ours, $0.baseline, $0.ratio, $0.verdict] }
    let widths = (0..<5).map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      var line = ""
      for (cell, width) in zip(row, widths) {
        line += cell + String(repeating: " ", count: width - cell.count + 2)
      }
      return String(line.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}

/// What a figure should reach.
struct Bound {
  let must: Double
  var aim: Double?

  /// More is better.
  func verdict(_ value: Double) -> String {
    if let aim, value >= aim { return "aim met" + wording }
    return (value >= must ? "must met" : "BELOW MUST") + wording
  }

  /// Less is better.
  func verdict(atMost value: Double) -> String {
    if let aim, value <= aim { return "aim met" + wording }
    return (value <= must ? "must met" : "ABOVE MUST") + wording
  }

  private var wording: String {
    " (must \(Self.text(must))" + (aim.map { ", aim \(Self.text($0))" } ?? "") + ")"
  }
  private static func text(_ value: Double) -> String {
    value == value.rounded() ? String(Int(value)) : String(format: "%.2g", value)
  }
}
