// What `brume doctor` says of the store that the settings name.

import BrumeCore
import BrumePostgres
import BrumeStorage

/// Looks at stores that are outside the data folder.
package enum StoreCheckup {
  /// Something that was looked at, in words; what is wrong says what to do.
  package typealias Finding = (subject: String, isWell: Bool, text: String)

  /// Nothing for stores that are all in the data folder.
  package static func findings(_ engine: Settings.Engine) -> [Finding] {
    guard case .postgres(let url) = engine else { return [] }
    do {
      let checkup = try PostgresCheckup(
        url: url, now: Host.real.now,
        nanoseconds: SteadyClock.nanoseconds)
      return [("database", true, "connected")]
        + (try checkup.findings().map { ("database \($0.subject)", $0.isWell, $0.text) })
    } catch {
      return [("database", false, "\(error)")]
    }
  }

  /// Which store it is, as `brume status --json` says it of the server's; nil for one that is in the data folder, and where
  /// nobody can say.
  package static func storeID(_ engine: Settings.Engine) -> String? {
    guard case .postgres(let url) = engine else { return nil }
    return try? PostgresCheckup(url: url, now: { 0 }, nanoseconds: { 0 }).storeID()
  }
}
