// What the program is asked to do.

import Foundation

struct Arguments {
  var first: UInt64 = 1
  /// Nil: as many as there is time for.
  var count: UInt64?
  /// Nil: all deeds.
  var keep: [Int]?
  var isVerbose = false
  var planted: Planted?
  var shrinks = true
  /// Runs the planted faults instead, and fails if one is not found.
  var isControl = false
  var checksRepeats = false
  /// How long all of it may take. What is not run by then has failed, unless nobody said how many seeds there are.
  var seconds: Double?
  /// Seconds after which a run counts as one that hangs.
  var patience = Beginning.patience
  /// Processes at a time.
  var jobs = 1

  static let usage = """
    usage: brume-simulate [--seed N] [--first N --seeds COUNT] [--seconds S] [--keep 3,7,9|none]
             [--planted NAME] [--jobs N] [--patience S] [--verbose] [--no-shrink] [--repeats]
             [--controls]
    With --seconds and no --seeds there are as many seeds as there is time for; with both, all of them must be
    run in that time.

    """

  init(_ words: [String]) throws {
    var words = words[...]
    func value(_ name: String) throws -> String {
      guard let next = words.popFirst() else { throw Wrong(text: "\(name) needs a value") }
      return next
    }
    func number<Number: LosslessStringConvertible>(_ name: String) throws -> Number {
      guard let number = Number(try value(name)) else { throw Wrong(text: "\(name): no number") }
      return number
    }
    while let word = words.popFirst() {
      switch word {
      case "--seed":
        first = try number(word)
        count = 1
      case "--first": first = try number(word)
      case "--seeds": count = try number(word)
      case "--keep":
        let places = try value(word)
        keep = try places == "none" ? [] : places.split(separator: ",").map(Self.place)
      case "--planted":
        let name = try value(word)
        guard let fault = Planted(rawValue: name) else {
          let names = Planted.allCases.map(\.rawValue).joined(separator: ", ")
          throw Wrong(text: "no fault is named '\(name)': \(names)")
        }
        planted = fault
      case "--seconds": seconds = try number(word)
      case "--patience": patience = max(1, try number(word))
      case "--jobs": jobs = try number(word)
      case "--verbose": isVerbose = true
      case "--no-shrink": shrinks = false
      case "--repeats": checksRepeats = true
      case "--controls": isControl = true
      default: throw Wrong(text: "what is '\(word)'?")
      }
    }
    if count == nil, seconds == nil { count = 1 }
    if count == 0 { throw Wrong(text: "--seeds: at least one") }
  }

  private static func place(_ text: Substring) throws -> Int {
    guard let place = Int(text) else { throw Wrong(text: "--keep: no number, and not 'none'") }
    return place
  }

  struct Wrong: Error { let text: String }
}
