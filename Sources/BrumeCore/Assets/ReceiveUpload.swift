// A file arrives. Its object is entered in the books before the first byte is written, so that
// whatever happens from then on the sweeper finds it; when it is whole, it becomes the file of its
// checksum, and an older object with the same bytes is discarded. A damaged file is mended that way.

package import BrumeModel
import BrumeStorage

extension Engine {
  /// Keeps what `next` yields until nil, and answers the asset with its receipt, ready to be saved.
  ///
  /// - Throws: `accessDenied` for a ticket that is expired or not ours, `limitExceeded` for a file
  ///   that is too large, what `next` threw, or an `AssetFailure` of the asset store.
  package func receiveUpload(
    _ text: String, from next: () async throws -> ArraySlice<UInt8>?
  ) async throws -> Asset {
    let began = host.now()
    let ticket = try checkedTicket(text, now: began)
    let id = objectName()
    try await store.write(in: nil) {
      try $0.put(AssetUpload(id: id, checksum: nil, began: began))
    }
    var meter = AssetMeter(limit: limits.assetBytes)
    do {
      try await assets.write(id) {
        guard let piece = try await next() else { return nil }
        try meter.take(piece)
        return piece
      }
    } catch {
      // If this fails too, the sweeper does it.
      _ = try? await store.write(in: nil) { try $0.removeAssetUpload(id) }
      throw error
    }
    let file = AssetFile(
      checksum: AssetMeter.checksum(meter.finished()), object: id, size: meter.size,
      digest: meter.finished())
    try await store.write(in: nil) { try Self.enter(file, arrivedBy: id, in: $0) }
    var valid = ticket
    valid.expires = began + limits.assetReceiptLife
    return Asset(
      fileChecksum: file.checksum, size: file.size,
      receipt: seal.text(AssetReceipt(id: id, ticket: valid)))
  }

  /// Whether an upload address can be used, without using it.
  package func checkUploadTicket(_ text: String) throws(BrumeError) {
    _ = try checkedTicket(text, now: host.now())
  }

  private func checkedTicket(
    _ text: String, now: Milliseconds
  ) throws(BrumeError) -> AssetTicket {
    guard let ticket = seal.assetTicket(text) else {
      throw BrumeError(
        .accessDenied, "this is no upload address of this server; ask assets/upload for one")
    }
    guard now < ticket.expires else {
      throw BrumeError(
        .accessDenied, "the upload address has expired; ask assets/upload for a new one")
    }
    return ticket
  }

  /// The name of a new object or upload: opaque, and never used again.
  func objectName() -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = host.randomBytes(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  }

  private static func enter(
    _ file: AssetFile, arrivedBy id: String, in transaction: any WriteTransaction
  ) throws {
    guard let upload = try transaction.assetUpload(id) else {
      try transaction.discardAssetObject(file.object)
      throw BrumeError(
        .tryAgainLater, "the upload took too long; ask assets/upload for a new address")
    }
    if let known = try transaction.assetFile(file.checksum) {
      guard known.digest == file.digest else {
        throw BrumeError(.rejected, "the file collides with another one; change a byte of it")
      }
      try transaction.discardAssetObject(known.object)
    }
    try transaction.put(file)
    try transaction.put(AssetUpload(id: id, checksum: file.checksum, began: upload.began))
  }
}
