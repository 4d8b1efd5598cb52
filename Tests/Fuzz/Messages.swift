// The messages of the protocol, of either side, pushes, lines of an export, and conditions as they come over the wire.

import BrumeClient
import BrumeModel
import BrumeWire

extension Target {
  static let wire = [
    Target("wire", longest: 2048) { bytes in
      _ = PushPayload.courier(fromPayload: bytes)
      _ = try? PushPayload.decode(bytes)
      readExport(bytes)
      if let json = try? JSON(parsing: bytes) { readMessages(json) }
    },
    Target("query", longest: 1024) { bytes in
      guard let json = try? JSON(parsing: bytes), let request = try? QueryRequest(json: json) else {
        return
      }
      judge(request.query.filters)
      guard let again = try? QueryRequest(json: JSON(parsing: request.bytes())), again == request
      else { wrong("a query is not what was written") }
    },
    Target("events", longest: 512) { bytes in
      var whole = EventStreamParser()
      let events = whole.take(bytes)
      var pieces = EventStreamParser()
      let again = bytes.flatMap { pieces.take(CollectionOfOne($0)) }
      guard events == again else { wrong("events depend on how their bytes arrive") }
    },
  ]

  private static func readExport(_ bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let json = try? JSON(parsing: Array(line)) else { continue }
      _ = try? ExportLine(json: json)
    }
  }

  private static func readMessages(_ json: JSON) {
    readRequests(json)
    readAnswers(json)
    readOperators(json)
  }

  private static func readRequests(_ json: JSON) {
    if let request = try? ModifyRecordsRequest(json: json) {
      guard let again = try? ModifyRecordsRequest(json: JSON(parsing: request.bytes())),
        again == request
      else { wrong("a save is not what was written") }
    }
    _ = try? LookupRecordsRequest(json: json)
    _ = try? FeedRequest(json: json)
    _ = try? TokenRequest(json: json)
    _ = try? AssetImportRequest(json: json)
    _ = try? AssetUploadRequest(json: json)
    _ = try? AssetRereferenceRequest(json: json)
    _ = try? Wire.assetExports(json)
    _ = try? Wire.restore(json)
    _ = try? Wire.backup(json)
    _ = try? Wire.zoneLookup(json)
    _ = try? ModifyRequest<ZoneOperation>(json: json)
    _ = try? Wire.zoneChangesRequests(json)
    _ = try? Wire.recordChangesRequest(json)
    _ = try? Wire.subscriptionLookup(json)
    _ = try? ModifyRequest<SubscriptionOperation>(json: json)
    _ = try? Wire.shortGUIDs(json)
    _ = try? Wire.lookupInfos(json)
    _ = try? Wire.notificationIDs(json)
    _ = try? Wire.badge(json)
    _ = Wire.wantsNumbersAsStrings(json)
  }

  private static func readAnswers(_ json: JSON) {
    _ = try? Record(json: json)
    _ = try? Wire.recordResults(json)
    _ = try? Wire.queryPage(json)
    _ = try? Wire.zoneResults(json)
    _ = try? Wire.zoneChanges(json)
    _ = try? Wire.databaseChanges(json)
    _ = try? Wire.subscriptionResults(json)
    _ = try? Wire.identity(json)
    _ = try? Wire.users(json)
    _ = try? Wire.lookedUp(json)
    _ = try? Wire.uploadTickets(json)
    _ = try? Wire.singleFile(json)
    _ = try? Wire.assetResults(json)
    _ = try? Wire.shareResults(json)
    _ = try? Wire.keptNotifications(json)
    if let wait = Wire.error(json).retryAfter { _ = Duration.seconds(wait) }
  }

  private static func readOperators(_ json: JSON) {
    _ = try? OperatorView(json: json)
    _ = try? OperatorSignIn(json: json)
    _ = try? Wire.clockMove(json)
    _ = try? ListRequest(json: json)
    _ = try? PermissionQuestion(json: json)
    _ = try? Trace(json: json)
    _ = try? Fault(json: json)
  }
}
