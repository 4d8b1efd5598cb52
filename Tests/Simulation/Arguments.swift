// What the program is asked to do.

import Foundation

struct Arguments {
  var first: UInt64 = 1
  var count: UInt64 = 1
  /// Nil: all deeds.
  var keep: [Int]?
  var isVerbose = false
  var planted: Planted?
  var shrinks = true
  /// Runs the planted faults instead, and fails if one is not found.
  var isControl = false
  var checksRepeats = false
  /// Ends early, after so many seconds.
  var seconds: Double?
  /// Processes at a time.
  var jobs = 1

  static let usage = """
    usage: brume-simulate [--seed N] [--first N --seeds COUNT] [--keep 3,7,9] [--planted NAME]
             [--seconds S] [--jobs N] [--verbose] [--no-shrink] [--repeats] [--controls]

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
      case "--keep": keep = try value(word).split(separator: ",").compactMap { Int($0) }
      case "--planted":
        let name = try value(word)
        guard let fault = Planted(rawValue: name) else {
          let names = Planted.allCases.map(\.rawValue).joined(separator: ", ")
          throw Wrong(text: "no fault is named '\(name)': \(names)")
        }
        planted = fault
      case "--seconds": seconds = try number(word)
      case "--jobs": jobs = try number(word)
      case "--verbose": isVerbose = true
      case "--no-shrink": shrinks = false
      case "--repeats": checksRepeats = true
      case "--controls": isControl = true
      default: throw Wrong(text: "what is '\(word)'?")
      }
    }
  }

  struct Wrong: Error { let text: String }
}
