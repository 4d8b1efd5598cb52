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
  /// - Parameters:
  ///   - clock: learns the database's time.
  ///   - folder: where this server keeps what it knows of a database elsewhere; nil: nowhere.
  ///   - files: where this server keeps files, as other servers on the same database see it.
  /// - Throws: a `StoreError` if it cannot be opened.
  func openStore(
    _ clock: ServerClock, _ logger: Logger, in folder: DataFolder?, filesIn files: String?
  ) throws -> any Store {
    switch engine {
    case .memory: MemoryStore(coders: .wireForm)
    case .sqlite:
      try SQLiteStore(
        folder: dataFolder, coders: .wireForm, readers: Workers.readingThreads,
        runID: clock.host.uuid(), marks: marksFolder,
        isCalledWithinRest: { [rest = Int(limits.indexRest)] in
          $0.wait(milliseconds: rest)
        },
        nanoseconds: SteadyClock.nanoseconds, logger: logger)
    case .postgres(let url):
      try PostgresStore(
        url: url, coders: .wireForm, runID: clock.host.uuid(), filesIn: files,
        mark: folder.map { KeptMark(in: $0) }, time: clock.shared,
        wait: { $0.wait(milliseconds: $1) },
        milliseconds: SteadyClock.milliseconds,
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

extension Settings {
  /// A text that is the same for servers whose files are in the same place. Nil: nobody else looks, or it does
  /// not matter, as in development.
  func place(of assets: any AssetStore, _ host: Host) throws -> String? {
    guard case .postgres = engine, !isDevelopment else { return nil }
    if case .bucket(let address, _) = self.assets.storeLocation {
      return "\(address.endpoint)/\(address.bucket)/\(address.prefix)"
    }
    return try (assets as? FolderAssetStore).map {
      "folder \(try $0.identity(orElse: host.uuid()))"
    }
  }
}

extension KeptMark {
  /// In a file of the folder.
  fileprivate init(in folder: DataFolder) {
    self.init(
      read: { try DataFolder.contents(of: folder.path + "/" + DataFolder.databaseMark) },
      // The thread that writes it looks for sign-outs and pushes of others, which would wait for the disk.
      write: { try folder.write($0, to: DataFolder.databaseMark, isDurable: false) })
  }
}

extension StoreCoders {
  /// Stored content has the wire's form, so that feeds copy bytes.
  package static let wireForm = StoreCoders(
    record: .wire, encodeSubscription: { Wire.encode($0) },
    decodeSubscription: { try decoded.subscription(of: $0) })

  private static let decoded = DecodedSubscriptions { try Wire.subscription($0) }
}
