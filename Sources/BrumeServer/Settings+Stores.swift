// The stores that the settings name.

import BrumeAssets
import BrumeCore
import BrumeModel
import BrumePostgres
import BrumeSQLite
package import BrumeStorage
import BrumeWire
import Dispatch
import Logging

extension Settings {
  /// - Throws: a `StoreError` if it cannot be opened.
  func openStore(_ host: Host, _ logger: Logger) throws -> any Store {
    switch engine {
    case .memory: MemoryStore(coders: .wireForm)
    case .sqlite:
      try SQLiteStore(
        folder: dataFolder, coders: .wireForm, runID: host.uuid(), marks: marksFolder,
        isCalledWithinRest: { [rest = Int(limits.indexRest)] in
          $0.wait(timeout: .now() + .milliseconds(rest)) == .success
        },
        nanoseconds: { Int64(clamping: DispatchTime.now().uptimeNanoseconds) }, logger: logger)
    case .postgres(let url):
      try PostgresStore(
        url: url, coders: .wireForm, runID: host.uuid(),
        wait: { $0.wait(timeout: .now() + .milliseconds($1)) == .success },
        milliseconds: { Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000) },
        logger: logger)
    }
  }

  /// The same beside a server, which has files under way. Nil: they are in a bucket.
  func openAssets(reading folder: String) -> (any AssetStore)? {
    guard case .besideRecords = assets.storeLocation else { return nil }
    return FolderAssetStore(reading: folder + "/assets")
  }

  /// - Throws: an `AssetFailure` if it cannot be opened.
  func openAssets(_ host: Host) throws -> any AssetStore {
    switch assets.storeLocation {
    case .bucket(let address, let credentials):
      return try S3AssetStore(
        address, credentials, spool: dataFolder + "/asset-spool", now: host.now)
    case .besideRecords:
      switch engine {
      case .memory: return MemoryAssetStore()
      case .sqlite, .postgres: return try FolderAssetStore(folder: dataFolder + "/assets")
      }
    }
  }
}

extension StoreCoders {
  /// Stored content has the wire's form, so that feeds copy bytes.
  package static let wireForm = StoreCoders(
    record: .wire, encodeSubscription: { Wire.encode($0) },
    decodeSubscription: { try Wire.subscription($0) })
}
