// How an import sends files: as the user, who needs an API token of the container.

import BrumeClient
import BrumeModel

struct FileUploads {
  private let connection: ServerConnection
  private let user: String
  private var session: Session?

  init(_ connection: ServerConnection, as user: String) {
    (self.connection, self.user) = (connection, user)
  }

  /// Sends a file for a field of a record that is going to be saved in a zone.
  ///
  /// - Parameter progress: called with the bytes that were sent.
  /// - Throws: `CommandFailure` without an API token or an address, and what `Session.upload` throws.
  mutating func send(
    _ file: OutgoingFile, for record: Record, _ field: String, in zone: String,
    _ scope: DatabaseScope, progress: (Int64) async -> Void
  ) async throws -> Asset {
    let session = try await opened()
    let request = AssetUploadRequest(
      zone: ZoneID(name: zone),
      files: [.init(recordType: record.type, fieldName: field, recordName: record.name)])
    guard let ticket = try await session.database(scope).uploadAddresses(request).first else {
      throw CommandFailure("the server gave no address for a file; see its log")
    }
    return try await session.upload(
      file, to: connection.access.own(ticket.ticket), progress: progress)
  }

  private mutating func opened() async throws -> Session {
    if let session { return session }
    let new = Session(try await connection.configuration(user: user))
    session = new
    return new
  }
}
