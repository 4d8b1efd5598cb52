// When a file goes. Pure: what is known about it and the time are arguments.

package import BrumeModel

/// Decides about one file that has a row.
package enum AssetSweep {
  /// What is done with a file.
  package enum Decision: Equatable, Sendable {
    /// Somebody needs it.
    case keep
    /// Nobody does, from now on.
    case wait
    /// Nobody did for long enough that no address of it is good any more.
    case remove
  }

  /// - Parameters:
  ///   - idleSince: since when nobody needs it; zero if that was never looked at.
  ///   - grace: how long addresses stay valid that were issued before.
  package static func decide(
    isNeeded: Bool, idleSince: Milliseconds, now: Milliseconds, grace: Milliseconds
  ) -> Decision {
    if isNeeded { return .keep }
    if idleSince == 0 { return .wait }
    return now - idleSince >= grace ? .remove : .wait
  }
}
