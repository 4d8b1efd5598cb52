// What a person reads while the demo runs, and the checks that make it fail loudly.

import Foundation
import Synchronization

final class Timeline: Sendable {
  private let start = ContinuousClock.now
  private let checks = Mutex(0)

  var checkCount: Int { checks.withLock { $0 } }

  func title(_ text: String) { show("\n── \(text)") }

  /// Unbuffered, so that the lines come as things happen, in a pipe too.
  func show(_ line: String) { Output.line(line) }

  func say(_ who: String, _ what: String) {
    let elapsed = start.duration(to: .now)
    let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    let time = String(format: "%7.3f", seconds)
    show("\(time)  \(who.padding(toLength: 16, withPad: " ", startingAt: 0))\(what)")
  }

  /// Checks one documented fact; the sentence is printed when it holds and thrown when it does not.
  func check(_ sentence: String, _ holds: Bool, _ detail: @autoclosure () -> String = "") throws {
    guard holds else { throw DemoFailure("NOT TRUE: \(sentence) \(detail())") }
    guard Output.hasReader else { throw DemoFailure("nobody reads it any more") }
    checks.withLock { $0 += 1 }
    show("         ✓ \(sentence)")
  }
}
