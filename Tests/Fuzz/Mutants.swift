// Changed entries of the corpus, read by every target: so many by each, in bounded time for each input.

import Foundation

struct Mutants {
  /// Ours: seconds that one input may take, on a busy machine and without the compiler's optimizations too.
  private static let patience: UInt32 = 60
  /// A whole server begins and ends for each of these, which takes fifty times as long.
  private static let slow = 50
  private let folder: String
  private let seed: UInt64
  private let count: Int
  private let targets: [Target]
  /// Nil: all of them are read.
  private let shown: Int?

  private struct Misused: Error {}

  /// - Parameter words: folder and seed; then how many, or a target and the number of one.
  init(_ words: [String]) throws {
    guard words.count >= 3, let seed = UInt64(words[1]) else { throw Misused() }
    (folder, self.seed) = (words[0], seed)
    if words.count == 3, let count = Int(words[2]) {
      (self.count, shown) = (count, nil)
      targets = Target.all.filter { !$0.name.hasPrefix("planted") }
    } else if words.count == 4, let target = Target.named(words[2]), let number = Int(words[3]) {
      (count, shown, targets) = (0, number, [target])
    } else {
      throw Misused()
    }
  }

  func run() throws {
    var inputs = 0
    for target in targets {
      let mutation = try Mutation(target, in: folder, seed: seed)
      if let shown { return print(Corpus.line(mutation.input(shown))) }
      for number in 0..<(target.name == "request" ? count / Self.slow : count) {
        // At once: if it traps or hangs, this says where.
        FileHandle.standardOutput.write(Data("\(target.name) \(number)\n".utf8))
        alarm(Self.patience)
        target.read(mutation.input(number))
        inputs += 1
      }
    }
    print("\(inputs) inputs by \(targets.count) targets, seed \(seed)")
  }
}
