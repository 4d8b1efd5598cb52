// Where assets are kept and under which addresses. What opens the store is `Settings+Stores.swift`.

package import BrumeAssets
import BrumeCore
import BrumeModel
import BrumeStorage

/// What operators choose about files.
package struct AssetSettings: Equatable, Sendable {
  /// Where the bytes are.
  package enum StoreLocation: Equatable, Sendable {
    /// `assets` in the data folder; in memory if the records are.
    case besideRecords
    case bucket(S3Address, S3Credentials)
  }
  /// The setting `assets`.
  package var storeLocation = StoreLocation.besideRecords
  /// Scheme, host and port of upload and download addresses; nil: the server's own.
  package var baseURL: String?
  /// Seconds between two passes of the sweeper.
  package var sweepInterval = 60

  package init() {}

  init(_ sources: SettingSources) throws {
    sweepInterval = try Settings.number(.assetSweep, from: sources, in: 1...86_400)
    baseURL = try Settings.address(.assetBaseURL, from: sources).map { text in
      text.hasSuffix("/") ? String(text.dropLast()) : text
    }
    let text = try sources.text(.assets) ?? "folder"
    guard text != "folder" else { return }
    do throws(S3Address.Malformed) {
      let address = try S3Address(text)
      storeLocation = .bucket(address, try Self.credentials(sources))
    } catch {
      throw SettingError(
        "--assets: \(error.description); it may be 'folder' or "
          + "s3://BUCKET/PREFIX?endpoint=URL&region=NAME")
    }
  }

  private static func credentials(
    _ sources: SettingSources
  ) throws(S3Address.Malformed) -> S3Credentials {
    guard let id = try? sources.text(.assetKeyID), let secret = try? sources.text(.assetKeySecret)
    else {
      throw S3Address.Malformed(
        description: "a bucket needs \(Setting.assetKeyID.variable) and "
          + "\(Setting.assetKeySecret.variable)")
    }
    return S3Credentials(keyID: id, secret: secret)
  }
}

extension Limits {
  /// The limits with what settings say about assets.
  mutating func read(_ sources: SettingSources) throws {
    func milliseconds(_ setting: Setting, _ value: inout Milliseconds) throws {
      guard try sources.number(setting) != nil else { return }
      value = Int64(try Settings.number(setting, from: sources, in: 1...31_536_000)) * 1000
    }
    if try sources.number(.assetBytes) != nil {
      assetBytes = Int64(try Settings.number(.assetBytes, from: sources, in: 1...1 << 40))
      // Before a save holds it, one such file has room too.
      pendingUploadBytesPerUser = max(pendingUploadBytesPerUser, assetBytes)
    }
    try milliseconds(.assetUploadLifetime, &assetUploadLifetime)
    try milliseconds(.assetReceiptLifetime, &assetReceiptLifetime)
    try milliseconds(.assetAddressLifetime, &assetAddressLifetime)
  }
}

extension Setting {
  package static let assets = Setting(
    key: "assets", kind: .text, fallback: "folder", form: "folder|s3://BUCKET/PREFIX?endpoint=URL",
    help: "Where the bytes of assets are: in the data folder, or in a bucket of an S3 service.")
  package static let assetKeyID = Setting(
    key: "asset.key.id", kind: .text, fallback: nil, form: "TEXT",
    help: "The access key ID of the bucket.")
  package static let assetKeySecret = Setting(
    key: "asset.key.secret", kind: .text, fallback: nil, form: "TEXT",
    help: "The secret of that key. Other users of the machine can see flags: use the variable.")
  package static let assetBaseURL = Setting(
    key: "asset.base.url", kind: .text, fallback: nil, form: "URL",
    help: "Another address of this server for uploads and downloads, an origin of their own.")
  package static let assetBytes = Setting(
    key: "asset.bytes", kind: .number, fallback: nil, form: "BYTES",
    help: "The largest asset; 50 MB unless set, 4 GB with relaxed limits.")
  package static let assetUploadLifetime = Setting(
    key: "asset.upload.life", kind: .number, fallback: nil, form: "SECONDS",
    help: "How long an upload address is good; 15 minutes unless set.")
  package static let assetReceiptLifetime = Setting(
    key: "asset.receipt.life", kind: .number, fallback: nil, form: "SECONDS",
    help: "How long after its begin an upload can be saved; an hour unless set.")
  package static let assetAddressLifetime = Setting(
    key: "asset.address.life", kind: .number, fallback: nil, form: "SECONDS",
    help:
      "How long a download address is good, and how long a file without a record stays; 4 hours "
      + "unless set.")
  package static let assetSweep = Setting(
    key: "asset.sweep", kind: .number, fallback: "\(defaults.assets.sweepInterval)",
    form: "SECONDS",
    help: "How often files that no record holds are looked for.")

  static let ofAssets: [Setting] = [
    assets, assetKeyID, assetKeySecret, assetBaseURL, assetBytes, assetUploadLifetime,
    assetReceiptLifetime, assetAddressLifetime, assetSweep,
  ]
}
