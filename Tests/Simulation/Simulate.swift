// brume-simulate: runs seeds, each in a process of its own that is a copy of one that has begun, so that
// nothing of one run is left for the next, and a trap ends one seed only.

import CSimulation
import Foundation

@main struct Simulate {
  static func main() {
    do {
      let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
      simulation_make_repeatable(CommandLine.unsafeArgv)
      // What is made at its first use (metadata, caches) is made before the processes part, so that
      // every seed finds the same, whichever ran before.
      let order = Life.Order(seed: 0)
      _ = Life.outcome(of: Life.begun(order), order)
      exit(Seeds(arguments).run())
    } catch let wrong as Arguments.Wrong {
      FileHandle.standardError.write(Data("brume-simulate: \(wrong.text)\n\(Arguments.usage)".utf8))
      exit(2)
    } catch {
      exit(2)
    }
  }
}
