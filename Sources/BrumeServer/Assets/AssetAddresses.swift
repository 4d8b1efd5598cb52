// The addresses of files: they carry their own proof, so whoever is given one may use it.

import BrumeCore
import BrumeModel
import BrumeWire

final class AssetAddresses: Sendable {
  let server: ServerAddress
  /// Scheme, host and port to write instead of the server's; nil: the server's.
  let base: String?
  let downloads: AssetDownloads

  init(server: ServerAddress, base: String?, downloads: AssetDownloads) {
    self.server = server
    self.base = base
    self.downloads = downloads
  }

  /// Where the holder of a ticket uploads to.
  func upload(ticket: String) -> String {
    "\(base ?? server.url)/_brume/assets/upload?ticket=\(ticket)"
  }

  /// Where an asset of a record can be fetched for some hours.
  func download(_ asset: Asset) -> String {
    "\(base ?? server.url)/_brume/assets/file?pass=\(downloads.token(for: asset))"
  }
}

extension RecordOptions {
  /// How a caller wants to see records.
  ///
  /// - Parameter json: the body of the call.
  init(
    _ json: JSON, for caller: Caller, desiring keys: [String]? = nil, _ addresses: AssetAddresses
  ) {
    self.init(
      desiredKeys: keys.map { Set($0) }, numbersAsStrings: Wire.wantsNumbersAsStrings(json),
      reader: caller.user, downloadURL: { addresses.download($0) })
  }
}
