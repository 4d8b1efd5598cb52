// Inputs without a search, for every run of the tests: entries of the corpus that a seed has changed. Nothing leads to
// new code here, as coverage does in `scripts/fuzz`; but each is a small step from what a reader takes.

import BrumeTestKit
import Foundation

struct Mutation {
  private let entries: [[UInt8]]
  private let words: [[UInt8]]
  private let target: Target
  private let seed: UInt64

  /// - Parameter folder: the corpus; the words are beside it.
  init(_ target: Target, in folder: String, seed: UInt64) throws {
    self.target = target
    let corpus = try Corpus(path: "\(folder)/\(target.name).txt")
    entries = corpus.entries.map(\.bytes) + [[]]
    words = try Self.words("\(folder)/../words.txt")
    // Another one for each target.
    self.seed = target.name.utf8.reduce(seed) { $0 &* 31 &+ UInt64($1) }
  }

  /// The words of a dictionary of libFuzzer's: in quotes, one a line, with `\xNN` for what is not written.
  private static func words(_ path: String) throws -> [[UInt8]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("\"") }.map { line in
        let parts = line.dropFirst().dropLast().components(separatedBy: "\\x")
        return parts.dropFirst().reduce(Array(parts[0].utf8)) { bytes, part in
          bytes + (UInt8(part.prefix(2), radix: 16).map { [$0] } ?? []) + part.dropFirst(2).utf8
        }
      }
  }

  /// The input of a number: the same for the same seed, whatever came before.
  func input(_ number: Int) -> [UInt8] {
    var random = SeededRandom(seed: seed &+ UInt64(number) &* 0x9e37_79b9)
    var bytes = random.pick(entries)
    for _ in 0...random.next(below: 4) { change(&bytes, &random) }
    return Array(bytes.prefix(target.longest))
  }

  private func change(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
    let place = random.next(below: bytes.count + 1)
    let end = min(bytes.count, place + random.next(below: 8))
    switch random.next(below: 7) {
    case 0: bytes.insert(UInt8(random.next(below: 256)), at: place)
    case 1: bytes.removeSubrange(place..<end)
    case 2 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.next(below: 8))
    case 3: bytes.insert(contentsOf: random.pick(words), at: place)
    case 4: bytes.replaceSubrange(place..<end, with: random.pick(words))
    case 5: bytes.insert(contentsOf: bytes[place..<end], at: place)
    default:
      let other = random.pick(entries)
      bytes = Array(bytes[..<place]) + other.dropFirst(random.next(below: other.count + 1))
    }
  }
}
