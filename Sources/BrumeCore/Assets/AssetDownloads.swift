// Download addresses and what they open. Whoever may read a record gets addresses with it; the
// address then needs no credentials, and expires.

package import BrumeModel
package import BrumeStorage

/// Addresses of files, and reading them.
package struct AssetDownloads: Sendable {
  private let store: any Store
  private let assets: any AssetStore
  private let limits: Limits
  private let host: Host
  private let seal: Seal

  init(_ parts: EngineParts) {
    store = parts.store
    assets = parts.assets
    limits = parts.limits
    host = parts.host
    seal = parts.seal
  }

  /// The token of a download address for an asset, good for hours.
  package func token(for asset: Asset) -> String {
    let (end, step) = (host.now() + limits.assetAddressLifetime, limits.assetAddressStep)
    let expires = step == 0 ? end : (end / step + 1) * step
    return seal.text(DownloadToken(checksum: asset.fileChecksum, expires: expires))
  }

  /// The file that a token opens, and how long the token is still good.
  ///
  /// - Throws: `accessDenied` for a token that is expired or not ours, `assetNotAvailable` for a
  ///   file that is gone (case FET-10).
  package func open(_ text: String) async throws -> (file: AssetFile, lifetime: Milliseconds) {
    guard let token = seal.downloadToken(text) else {
      throw BrumeError(
        .accessDenied,
        "this is no download address of this server; fetch the record for one, and use it as it is")
    }
    let now = host.now()
    guard now < token.expires else {
      throw BrumeError(
        .accessDenied, "the download address has expired; fetch the record for a new one")
    }
    guard let file = try await store.read({ try $0.assets.file(token.checksum) }) else {
      throw Self.gone
    }
    // A file whose object is missing (a data folder restored without its assets) is gone as well.
    guard try await assets.size(of: file.object) == file.size else {
      let again = try await store.read { try $0.assets.file(token.checksum) }
      guard let again, try await assets.size(of: again.object) == again.size else {
        throw Self.gone
      }
      return (again, token.expires - now)
    }
    return (file, token.expires - now)
  }

  /// Where the bytes are that an object had: in it, or, if they arrived again since and it is gone, in the object that took
  /// its place. Nil: nowhere.
  ///
  /// - Throws: `AssetFailure` if the place for assets does not say.
  package func object(
    of checksum: String?, named name: String, size: Int64
  ) async throws -> String? {
    if try await assets.size(of: name) == size { return name }
    guard let checksum, let file = try await store.read({ try $0.assets.file(checksum) }),
      file.size == size, try await assets.size(of: file.object) == size
    else { return nil }
    return file.object
  }

  /// Hands over a part of a file. Of a whole one the last piece comes only when all are known to be what
  /// was uploaded, so that a damaged file never arrives as if it were whole.
  ///
  /// - Throws: `AssetFailure` with `damaged`, besides what the place for assets throws.
  package func read(
    _ file: AssetFile, _ range: Range<Int64>,
    into take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws {
    guard range == 0..<file.size else {
      return try await assets.read(file.object, range, into: take)
    }
    var meter = AssetMeter(limit: file.size)
    var held: ArraySlice<UInt8>?
    try await assets.read(file.object, range) { piece in
      if let held { try await take(held) }
      try meter.take(piece)
      held = piece
    }
    guard meter.finished() == file.digest else { throw damage(of: file) }
    if let held { try await take(held) }
  }

  private func damage(of file: AssetFile) -> AssetFailure {
    store.damagedRows?.note("files", "\(file.checksum), object \(file.object)")
    return AssetFailure(.damaged, "the object '\(file.object)' is not what was uploaded")
  }

  private static let gone = BrumeError(
    .assetNotAvailable,
    "the file is not on the server: no record holds it any more, or the server lost it; fetch the "
      + "record again")
}

extension Limits {
  /// Ends of addresses are whole minutes, so that readers of one minute get one address and caches work; 0: they live for
  /// less than one.
  fileprivate var assetAddressStep: Milliseconds { assetAddressLifetime < 60_000 ? 0 : 60_000 }

  /// How long an address is good at most.
  package var longestAssetAddress: Milliseconds { assetAddressLifetime + assetAddressStep }
}
