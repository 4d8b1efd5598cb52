// For operators: what the records say of assets against what is really there.

import BrumeCore
import BrumeModel
import BrumeWire

enum AssetAdmin {
  /// Lists files without bytes and objects without a file, as after a restore of one half.
  static func check(_ call: Call) async throws -> Reply {
    let report = try await call.engine.assetCheck.run(
      limit: call.server.settings.limits.assetCheckNames)
    var object = JSONObject()
    object["files"] = .int(Int64(report.files))
    object["objects"] = .int(Int64(report.objects))
    object["missing"] = .array(report.missing.map { .string($0) })
    object["unknown"] = .array(report.unknown.map { .string($0) })
    return .json(.object(object))
  }
}
