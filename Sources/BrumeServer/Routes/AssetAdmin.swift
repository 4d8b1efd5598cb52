// For operators: what the records say of assets against what is really there.

import BrumeCore
import BrumeModel
import BrumeWire

struct AssetAdmin: Sendable {
  let assets: AssetCheck
  /// File names that one answer lists.
  let mostNames: Int

  /// Lists files without bytes and objects without a file, as after a restore of one half.
  func check(_ call: Call) async throws -> Reply {
    let report = try await assets.run(limit: mostNames)
    var object = JSONObject()
    object["files"] = .int(Int64(report.files))
    object["objects"] = .int(Int64(report.objects))
    object["missing"] = .array(report.missing.map { .string($0) })
    object["unknown"] = .array(report.unknown.map { .string($0) })
    object["hasMetDamage"] = .bool(report.hasMetDamage)
    return .json(.object(object))
  }
}
