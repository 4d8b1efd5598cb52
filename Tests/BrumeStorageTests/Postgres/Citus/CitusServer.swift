// A coordinator of Citus with two workers, for the tests of this process. The extension is no part of Debian: where it is
// missing, its tests are skipped.

import BrumeTestKit
import Foundation

@testable import BrumePostgres

enum CitusServer {
  /// Few shards, which are made faster.
  static let shared = Result { try PostgresServer(["--citus", "citus.shard_count=4"]) }

  static let isInstalled: Bool = {
    let root = "/usr/share/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.contains {
      FileManager.default.fileExists(atPath: "\(root)/\($0)/extension/citus.control")
    }
  }()

  /// A schema for a store of its own. Types and functions of the extension are in another one.
  static func emptySchema() throws -> String {
    try shared.get().emptySchema() + "%2Cpublic"
  }

  /// Moves the rows of a bucket to the other worker.
  static func move(_ bucket: Int, url: String) throws {
    try Connection.forTest(url).simple(
      """
      SELECT citus_move_shard_placement(
        here.shardid, here.nodename, here.nodeport, there.nodename, there.nodeport, 'auto')
      FROM (
        SELECT shardid, nodename, nodeport FROM pg_dist_shard_placement
        WHERE shardid = get_shard_id_for_distribution_column('buckets', \(bucket)::bigint)) here
      JOIN pg_dist_node there ON there.groupid <> 0 AND there.nodeport <> here.nodeport
      """)
  }
}
