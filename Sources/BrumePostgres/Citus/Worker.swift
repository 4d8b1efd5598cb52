// A worker of Citus, as a server that connections can be made to.

/// A server that has rows of buckets, and can plan statements about all of them.
struct Worker: Hashable, Sendable {
  let host: String
  let port: Int64
  /// What PostgreSQL gave this server's data when they were made: at its address this process may find another one.
  let identity: String

  private static let findIdentity = SQL("SELECT system_identifier::text FROM pg_control_system()")

  /// - Throws: `ServerError` if another server answered.
  func require(_ connection: Connection) throws(ServerError) {
    try connection.send(Self.findIdentity)
    guard try connection.exchange()[0].first?.text(0) == identity else {
      throw ServerError(
        code: nil,
        message: "at \(host):\(port) another server answers than the coordinator of Citus names")
    }
  }
}

/// What a thread that writes at a worker needs.
struct WorkerSide: Sendable {
  let coordinator: Connector
  /// The worker's shards, by the bucket, as far as anybody here knows.
  let shards: @Sendable () -> [Int64: Shard]
}
