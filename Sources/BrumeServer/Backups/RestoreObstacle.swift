// Why a server cannot be restored where it is, and what to type instead: beside it, into a folder, a database or a bucket
// of its own, on which it is then started. Nothing of the live data is touched by that, as with a restore in place.
// `Tests/Independent/backup.py` and `assets.py` type what these sentences say.

import BrumeAssets

/// What stands in the way of a restore in place.
package enum RestoreObstacle {
  private static let folder = "./restored"

  /// In words for the operator, with what to type; nil: nothing does.
  package static func of(_ settings: Settings) -> String? {
    switch settings.engine {
    case .memory:
      "this server keeps its data in memory, which ends with it; bring the backup into a folder, 'brume restore FILE "
        + "--data \(folder)', and start a server on that, 'brume serve --data \(folder)'"
    case .postgres(let url): besideDatabase(name(of: url), bucket(settings))
    case .sqlite: bucket(settings).map(besideBucket)
    }
  }

  private static func besideDatabase(_ name: String, _ bucket: String?) -> String {
    let new = "\(name)_restored"
    let assets = bucket.map { " --assets \($0)" } ?? ""
    let settings = bucket == nil ? "--store and --data" : "--store, --data and --assets"
    return
      "this server keeps its data in PostgreSQL, where other servers may use it, so a backup is restored beside it: "
      + "make an empty database there that the same role owns (--owner), 'createdb \(new)'; bring the backup into "
      + "it, 'brume restore FILE --data \(folder) --store postgres://…/\(new)\(assets)', where … is as in the server's "
      + "own settings; then stop all servers, and start them with this \(settings)"
  }

  private static func besideBucket(_ place: String) -> String {
    "this server keeps its assets in a bucket, where old and new files cannot lie apart, so a backup is restored beside "
      + "it: 'brume restore FILE --data \(folder) --assets \(place)', where … is as in the server's own settings; then "
      + "stop the server, and start it with this --data and --assets"
  }

  /// A place in the same bucket that is not the server's.
  private static func bucket(_ settings: Settings) -> String? {
    guard case .bucket(let address, _) = settings.assets.storeLocation else { return nil }
    let old = address.prefix.dropLast(address.prefix.isEmpty ? 0 : 1)
    return "s3://\(address.bucket)/\(old.isEmpty ? "" : old + "-")restored?…"
  }

  /// The database of a URL: neither its host nor its password is anybody's affair.
  private static func name(of url: String) -> String {
    let rest = url.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }
    let path = rest.drop { $0 != "/" }.dropFirst().prefix { $0 != "?" }
    return path.isEmpty ? "brume" : String(path)
  }
}
