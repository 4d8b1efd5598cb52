// Stores in empty schemas of the tests' server.

import BrumeStorage
import BrumeTestKit
import Foundation
import Logging

@testable import BrumePostgres

extension PostgresStore {
  /// A store in an empty schema.
  static func forTest(
    buckets: Int = 1, on server: PostgresServer? = nil, url: String? = nil
  ) throws -> PostgresStore {
    let server = try server ?? PostgresServer.shared.get()
    return try PostgresStore(
      url: url ?? server.emptySchema(), coders: .wireForm, buckets: buckets, writerCount: 2,
      readerCount: 2, runID: UUID().uuidString, acceptsLoss: true,
      pause: { Thread.sleep(forTimeInterval: Double($0) / 1000) },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }
}
