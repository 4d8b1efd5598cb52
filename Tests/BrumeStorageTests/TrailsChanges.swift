// What a device fetches of the zone that tests of whole servers save in.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

extension TestServer {
  /// What changed in the zone Trails.
  func changes(since token: String?, as device: Caller) async throws -> ZoneChangesResult {
    let results = try await engine.changes.ofZones(
      [.init(zone: ZoneID(name: "Trails"), token: token)], in: .private, as: device)
    return try #require(results.first)
  }

  /// The names of its records, in the order of their last changes.
  func names(as device: Caller) async throws -> [String] {
    try await changes(since: nil, as: device).get().changes.compactMap { change in
      if case .changed(let record) = change { record.name } else { nil }
    }
  }
}
