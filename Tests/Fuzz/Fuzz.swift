// brume-fuzz: reads any bytes by every parser of the project. Linked with libFuzzer by `scripts/fuzz` it searches
// for bytes that make one of them trap, hang or grow; in an ordinary build it only reads what was found before.

import CFuzz
import Foundation

@main struct Fuzz {
  private static let usage = """
    usage: brume-fuzz --list                     the targets
           brume-fuzz --replay FOLDER            reads every entry of the corpus in the folder
           brume-fuzz --read TARGET FILE...      reads each file as bytes for the target
           brume-fuzz --line TARGET LINE         reads a line of the corpus, as a search prints what it found
           brume-fuzz --mutate FOLDER SEED COUNT reads so many changed entries of the corpus by each target
           brume-fuzz --mutant FOLDER SEED TARGET NUMBER   one of them, as a line of the corpus
           brume-fuzz TARGET ARGUMENT...         searches, with arguments of libFuzzer's

    """

  static func main() {
    var words = CommandLine.arguments.dropFirst()
    switch words.popFirst() {
    case "--list": for target in Target.all { print("\(target.name)\t\(target.longest)") }
    case "--replay": replay(words.first ?? "")
    case "--mutate", "--mutant":
      do { try Mutants(words.map { $0 }).run() } catch { misused() }
    case "--read":
      guard let target = words.popFirst().flatMap(Target.named) else { return misused() }
      for path in words {
        guard let data = FileManager.default.contents(atPath: path) else { return misused() }
        target.read([UInt8](data))
      }
    case "--line":
      guard let target = words.popFirst().flatMap(Target.named), words.count == 1,
        let bytes = words.first.flatMap(Corpus.bytes)
      else { return misused() }
      target.read(bytes)
    case .some(let name):
      guard let target = Target.named(name) else { return misused() }
      search(target, Array(words))
    case nil: misused()
    }
  }

  private static func misused() {
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
  }

  /// Every entry by its own target; a trap ends the program at the entry that was named last.
  private static func replay(_ folder: String) {
    var entries = 0
    for target in Target.all {
      let corpus: Corpus
      do { corpus = try Corpus(path: "\(folder)/\(target.name).txt") } catch {
        FileHandle.standardError.write(Data("\(target.name): \(error)\n".utf8))
        exit(1)
      }
      for (line, bytes) in corpus.entries {
        // At once: if it traps, this says where.
        FileHandle.standardOutput.write(Data("\(target.name) line \(line)\n".utf8))
        target.read(bytes)
        entries += 1
      }
    }
    print("\(entries) entries of \(Target.all.count) targets")
  }

  nonisolated(unsafe) private static var searched = Target.all[0]

  private static func search(_ target: Target, _ words: [String]) {
    searched = target
    target.read([])
    // What libFuzzer begins a process of its own with, as a line for the shell: while it merges, the target has to be known.
    let again = "'\(CommandLine.arguments[0])' \(target.name)"
    var arguments = ([again] + words).map { strdup($0) } + [nil]
    let status = fuzz_run(Int32(arguments.count - 1), &arguments) { bytes, count in
      Fuzz.searched.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
      return 0
    }
    guard status >= 0 else {
      FileHandle.standardError.write(
        Data("brume-fuzz: this build has no fuzzer; scripts/fuzz makes one that has\n".utf8))
      exit(2)
    }
    exit(status)
  }
}
