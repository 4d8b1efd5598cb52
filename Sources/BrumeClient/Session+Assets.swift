// Assets: addresses for files, the files themselves.

package import BrumeModel
import BrumeWire
import Foundation

extension DatabaseCaller {
  /// Addresses to upload files to, in order.
  package func uploadAddresses(
    _ request: AssetUploadRequest
  ) async throws -> [AssetUploadTicket] {
    try Wire.uploadTickets(
      await session.call("POST", path("assets/upload"), body: request.bytes(), isRead: true))
  }

  /// What a save takes for the files that fields hold, in order.
  package func rereferenceAssets(
    _ request: AssetRereferenceRequest
  ) async throws -> [AssetResult] {
    try await session.call(
      "POST", path("assets/rereference"), body: request.bytes(), isRead: true,
      as: Wire.assetResults)
  }

  /// IDs of the files that fields hold, in order.
  package func exportAssets(
    _ request: AssetRereferenceRequest
  ) async throws -> [AssetExportResult] {
    try await session.call(
      "POST", "/_brume/assets/export", query: place(), body: request.bytes(), isRead: true,
      as: Wire.assetExports)
  }

  /// What a save takes for IDs of files, in order.
  package func importAssets(_ request: AssetImportRequest) async throws -> [AssetResult] {
    try await session.call(
      "POST", "/_brume/assets/import", query: place(), body: request.bytes(), isRead: true,
      as: Wire.assetResults)
  }

  /// The parameters by which our own paths know the database.
  private func place() throws(CallFailure) -> [(String, String)] {
    try session.place() + [("database", scope.rawValue)]
  }
}

extension Session {
  /// Sends a file to an upload address; answers what a save takes. Sent again once if the answer is
  /// lost: what nobody saves, the server forgets.
  ///
  /// - Throws: an `OutgoingFile.Failure` for a file that changes meanwhile, and as other calls.
  package func upload(
    _ file: OutgoingFile, to address: String, progress: (Int64) async -> Void
  ) async throws -> Asset {
    try await repeating(isRead: true, isRepeatable: true) {
      do {
        let call = try fileCall("POST", address)
        let answer = try await transport.upload(call, file, progress: progress)
        try file.checkUnchanged()
        return try Wire.singleFile(Self.read(answer))
      } catch let failure as CallFailure {
        try file.checkUnchanged()
        throw failure
      }
    }
  }

  /// Fetches an asset's bytes, once more if the connection breaks. An address names one content: what
  /// has been handed over is left out then.
  ///
  /// - Throws: also what `take` throws.
  package func download(
    _ address: String, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws {
    var taken = 0
    try await repeating(isRead: true, isRepeatable: true) {
      let call = try fileCall("GET", address)
      var known = taken
      let refusal = try await transport.download(call) { piece in
        let fresh = piece.dropFirst(known)
        known -= piece.count - fresh.count
        taken += fresh.count
        if !fresh.isEmpty { try await take(fresh) }
      }
      if let refusal { _ = try Self.read(refusal) }
    }
  }

  /// The addresses carry their own proof: no credentials of ours go to wherever they lead. A socket of this machine must be
  /// the one that the server itself has.
  private func fileCall(_ method: String, _ address: String) throws -> HTTPCall {
    let url = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    let base = url.count == 4 && url[1].isEmpty && !url[2].isEmpty ? "\(url[0])//\(url[2])" : nil
    let settings = try? configuration.get()
    guard let base, ["http:", "https:"].contains(url[0]) || settings?.url == base else {
      // What follows is a secret.
      let shown = address.prefix { $0 != "?" }
      throw CallFailure.malformedAnswer("the server gave '\(shown)' as a file's address")
    }
    let isUpload = method == "POST"
    let timeouts = timeouts
    return HTTPCall(
      method: method, base: base, target: "/\(url[3])",
      headers: isUpload ? [HTTPCall.Header("Content-Type", "application/octet-stream")] : [],
      timeout: timeouts.part, wholeTimeout: timeouts.whole,
      trust: settings?.trust ?? .roots(andOf: nil))
  }
}
