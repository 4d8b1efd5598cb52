// A file arrives. Its object gets a row in the database before the first byte is written, so that
// whatever happens from then on the sweeper finds it; when it is whole, it becomes the file of its
// checksum, and an older object with the same bytes is discarded. A damaged file is mended that way.

package import BrumeModel
import BrumeStorage

/// Files on their way to records.
package struct AssetUploads: Sendable {
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

  /// Keeps what `next` yields until nil, and answers the asset with its receipt, ready to be saved.
  ///
  /// - Parameter announced: how many bytes the client says will come; nil if it does not say.
  /// - Throws: `accessDenied` for a ticket that is expired, not ours, or of a user who is deleted, `limitExceeded` for a file
  ///   that is too large, `quotaExceeded` where what waits for a save already leaves no room, `tryAgainLater` if it lasts
  ///   as long as the receipt is good, what `next` threw, or an `AssetFailure` of the asset store.
  package func receive(
    _ text: String, announced: Int64? = nil, from next: () async throws -> ArraySlice<UInt8>?
  ) async throws -> Asset {
    let began = host.now()
    let ticket = try checkedTicket(text, now: began)
    let id = host.objectName()
    let room = try await begin(id, of: ticket, announced: announced, began)
    var meter = AssetMeter(limit: room)
    do {
      try await assets.write(id) {
        let piece = try await next()
        // From then on nobody counts the room it takes, and its row may be gone.
        guard host.now() < began + limits.assetReceiptLifetime else { throw Self.tooLate }
        guard let piece else { return nil }
        try meter.take(piece)
        return piece
      }
    } catch {
      await giveUp(id, of: ticket, began)
      let isFull = room < limits.assetBytes && (error as? BrumeError)?.code == .limitExceeded
      throw isFull ? PendingUploads.full : error
    }
    let file = AssetFile(
      checksum: AssetMeter.checksum(meter.finished()), object: id, size: meter.size,
      digest: meter.finished())
    if let refusal = try await settle(file, of: ticket, began) { throw refusal }
    var valid = ticket
    valid.expires = began + limits.assetReceiptLifetime
    return Asset(
      fileChecksum: file.checksum, size: file.size,
      receipt: seal.text(AssetReceipt(id: id, ticket: valid)))
  }

  /// Makes the object the file of its checksum. Answers why it is discarded instead: what is thrown in the write would
  /// take that back.
  private func settle(
    _ file: AssetFile, of ticket: AssetTicket, _ began: Milliseconds
  ) async throws -> BrumeError? {
    try await store.write(in: .server.asked(by: ticket.user)) {
      [limits] transaction -> BrumeError? in
      let id = file.object
      guard let upload = try transaction.assets.upload(id) else {
        // The sweeper has struck it.
        try transaction.assets.discardObject(id)
        return Self.tooLate
      }
      guard try transaction.users.find(ticket.user) != nil else {
        try transaction.assets.removeUpload(id)
        try transaction.assets.discardObject(id)
        return Self.userIsGone
      }
      try Self.enter(file, arrivedBy: upload, in: transaction)
      try PendingUploads.change(
        of: ticket.user, now: began, limits, in: transaction.settings
      ) {
        $0.arrived(id, bytes: file.size)
      }
      return nil
    }
  }

  private static let tooLate = BrumeError(
    .tryAgainLater, "the upload took too long; ask assets/upload for a new address")

  private static let userIsGone = BrumeError(
    .accessDenied,
    "the user for whom this upload address was made is deleted; sign in as another and ask assets/upload for one"
  )

  /// Adds a row for the object and reserves room for it.
  ///
  /// - Returns: how large the file may become.
  private func begin(
    _ id: String, of ticket: AssetTicket, announced: Int64?, _ began: Milliseconds
  ) async throws -> Int64 {
    let before = try await storedBytes(in: ticket.zone.database, ticket.user)
    return try await store.write(in: .server.asked(by: ticket.user)) { [limits] transaction in
      guard try transaction.users.find(ticket.user) != nil else { throw Self.userIsGone }
      let stored = try before.map {
        try StoredBytes.known(of: ticket.zone.database, in: transaction) ?? $0
      }
      let quota = stored.flatMap { stored in limits.storageBytesPerUser.map { $0 - stored } }
      try transaction.assets.put(AssetUpload(id: id, checksum: nil, began: began))
      return try PendingUploads.change(
        of: ticket.user, now: began, limits, in: transaction.settings
      ) {
        try $0.reserve(id, announced: announced, quota: quota, began: began, limits)
      }
    }
  }

  /// What the records of a database with a quota take; nil: it has none. What is counted here is kept, so that
  /// the next upload finds it.
  private func storedBytes(in database: DatabaseKey, _ user: UserID) async throws -> Int64? {
    guard limits.storageBytesPerUser != nil, database.owner != nil else { return nil }
    if let known = try await store.read({ try StoredBytes.known(of: database, in: $0) }) {
      return known
    }
    return try await store.write(in: .database(database).asked(by: user)) {
      guard try $0.users.find(user) != nil else { throw Self.userIsGone }
      return try StoredBytes.counted(in: database, $0)
    }
  }

  /// If this fails too, the sweeper does it.
  private func giveUp(_ id: String, of ticket: AssetTicket, _ began: Milliseconds) async {
    _ = try? await store.write(in: .server.asked(by: ticket.user)) { [limits] transaction in
      try transaction.assets.removeUpload(id)
      // A service may have kept what it did not confirm.
      try transaction.assets.discardObject(id)
      try PendingUploads.change(
        of: ticket.user, now: began, limits, in: transaction.settings
      ) { $0.remove(id) }
    }
  }

  /// Whether an upload address can be used, without using it.
  ///
  /// - Throws: `accessDenied` if it is expired or not of this server.
  package func check(_ text: String) throws(BrumeError) {
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

  private static func enter(
    _ file: AssetFile, arrivedBy upload: AssetUpload, in transaction: any WriteTransaction
  ) throws {
    // A row that is damaged is written anew, and its file is whole again.
    let known = try BrumeError.unlessDamaged { try transaction.assets.file(file.checksum) }
    if let known {
      guard known.digest == file.digest else {
        throw BrumeError(.rejected, "the file collides with another one; change a byte of it")
      }
      try transaction.assets.discardObject(known.object)
    }
    try transaction.assets.put(file)
    try transaction.assets.put(
      AssetUpload(id: upload.id, checksum: file.checksum, began: upload.began))
  }
}

extension Host {
  /// The name of a new object or upload: opaque, and never used again.
  func objectName() -> String { Hex.text(randomBytes(16)) }
}
