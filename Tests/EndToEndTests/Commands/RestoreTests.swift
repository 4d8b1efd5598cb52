// Where `brume restore` does not go by itself: a bucket that a server's environment names.

import Foundation
import Testing

@Suite struct RestoreTests {
  private static let bucket = "s3://live/files?endpoint=http://127.0.0.1:1"

  @Test func `a bucket is restored into only if the command itself names it`() async throws {
    try await Tool.withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try Data("no backup".utf8).write(to: URL(filePath: "\(folder)/file"))
      func restore(_ more: String) async throws -> Tool.Outcome {
        try await Tool.shell(
          "BRUME_ASSETS='\(Self.bucket)' BRUME_ASSET_KEY_ID=a BRUME_ASSET_KEY_SECRET=b "
            + "\"$0\" restore '\(folder)/file' --data '\(folder)/data' \(more)")
      }
      for store in ["", "--store postgres://nobody@127.0.0.1:1/x"] {
        let refused = try await restore(store)
        refused.expect(64, "BRUME_ASSETS names a bucket", "--assets")
      }
      // Then the file is looked at.
      for assets in ["folder", "'\(Self.bucket)'"] {
        let taken = try await restore("--assets \(assets)")
        taken.expect(65, "this is no backup")
      }
    }
  }
}
