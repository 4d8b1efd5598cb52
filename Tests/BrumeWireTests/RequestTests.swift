// Request bodies, both ways.

import BrumeModel
import BrumeWire
import Testing

private func roundTrip<Request: WireRequest & Equatable>(_ request: Request) throws {
  #expect(try Request(json: JSON(parsing: request.bytes())) == request)
  #expect(try Request(json: request.json) == request)
}

struct RequestTests {
  @Test func `modify requests of every operation round-trip`() throws {
    var draft = RecordDraft(
      name: "H-101", type: "Hike", changeTag: "1e", zone: Sample.zone,
      fields: [
        "title": DraftField(.string("Lake path"), isTagged: false),
        "km": DraftField(.double(6)), "note": DraftField(nil, isTagged: false),
        "secret": DraftField(.bytes([1, 2, 3]), isEncrypted: true),
        "tags": DraftField(.list([], of: .string)),
        "untyped": DraftField(.list([], of: nil), isTagged: false),
      ],
      parent: .set(Reference(recordName: "A-7")), createShortGUID: true,
      shareRoot: ("A-7", "2"), publicPermission: .readWrite, participants: Sample.participants)
    for kind in RecordOperation.Kind.allCases {
      try roundTrip(
        ModifyRecordsRequest(
          zone: Sample.zone,
          operations: [RecordOperation(kind, draft), RecordOperation(kind, .init())],
          atomic: true, desiredKeys: ["km"], operationID: "0b1c"))
    }
    draft.parent = .cleared
    try roundTrip(ModifyRecordsRequest(operations: [RecordOperation(.update, draft)]))
  }

  @Test func `a modify request as clients send it is understood`() throws {
    let text = #"""
      { "zoneID": {"zoneName":"Trails"}, "atomic": true, "unknown": [1], "numbersAsStrings": null,
        "operations": [
          {"operationType":"create","record":{"recordType":"Hike","parent":{"recordName":"A-7"},
             "created":{"timestamp":1},"pluginFields":{},"zoneID":{"zoneName":"Other"},
             "fields":{"title":{"value":"Lake path"},"km":{"value":6,"type":"DOUBLE"}}}},
          {"operationType":"update","record":{"recordName":"H-100","recordChangeTag":"1e",
             "fields":{"tags":{"value":null}},"parent":null}},
          {"operationType":"forceDelete","record":{"recordName":"H-099"}} ] }
      """#
    let request = try ModifyRecordsRequest(json: try parse(text))
    #expect(request.zone == ZoneID(name: "Trails"))
    #expect(request.operations.map(\.kind) == [.create, .update, .forceDelete])
    #expect(request.operations[0].record.parent == .set(Reference(recordName: "A-7")))
    #expect(request.operations[0].record.fields["km"] == DraftField(.double(6)))
    #expect(request.operations[0].record.zone == ZoneID(name: "Other"))
    #expect(request.operations[1].record.fields["tags"]?.value == nil)
    #expect(request.operations[1].record.parent == .unchanged)
    #expect(request.atomic == true)
    #expect(request.desiredKeys == nil)
  }

  @Test func `lookups, queries, feeds and tokens round-trip`() throws {
    try roundTrip(
      LookupRecordsRequest(
        zone: Sample.zone,
        items: [.init(name: "a", zone: Sample.zone, desiredKeys: []), .init(name: "b")],
        desiredKeys: ["km"]))
    try roundTrip(
      QueryRequest(
        query: Sample.query, zone: Sample.zone, limit: 2, marker: "AQIBAgM=", desiredKeys: []))
    try roundTrip(QueryRequest(query: Query(recordType: "Hike"), zoneWide: true))
    try roundTrip(FeedRequest(token: "AQ==", limit: 5))
    try roundTrip(FeedRequest())
    try roundTrip(TokenRequest(environment: .production, token: "00ff", clientID: "74ae"))
  }

  @Test func `lists of zones, changes, subscriptions, shares and people round-trip`() throws {
    let zones = [ZoneID(name: "A"), Sample.zone]
    #expect(try Wire.zoneLookup(JSON(parsing: Wire.zoneLookup(zones))) == zones)
    let operations = [ZoneOperation(.create, zones[0]), ZoneOperation(.delete, zones[1])]
    try roundTrip(ModifyZonesRequest(operations))
    try roundTrip(ModifyZonesRequest(operations, operationID: "op-1"))
    let changes = [
      ZoneChangesRequest(
        zone: Sample.zone, token: "t", limit: 3, desiredKeys: ["km"], desiredTypes: ["Hike"]),
      ZoneChangesRequest(zone: zones[0]), ZoneChangesRequest(zone: zones[0], withDeletions: true),
    ]
    #expect(
      try Wire.zoneChangesRequests(JSON(parsing: Wire.zoneChangesRequests(changes))) == changes)
    let saves =
      Sample.subscriptions.flatMap { [SubscriptionOperation.save($0), .update($0)] }
      + [.delete(id: "old")]
    try roundTrip(ModifySubscriptionsRequest(saves))
    try roundTrip(ModifySubscriptionsRequest(saves, operationID: "op-1"))
    #expect(
      try Wire.subscriptionLookup(JSON(parsing: Wire.subscriptionLookup(["a", "b"]))) == ["a", "b"])
    let guids = [
      ShortGUIDRequest(
        value: "0c1Wq", shouldFetchRootRecord: true, rootRecordDesiredKeys: ["name"]),
      ShortGUIDRequest(value: "0d"),
    ]
    #expect(try Wire.shortGUIDs(JSON(parsing: Wire.shortGUIDs(guids))) == guids)
    let people = [
      UserIdentity(user: Sample.guest), UserIdentity(emailAddress: "bo@example.org"),
      UserIdentity(phoneNumber: "+43"),
    ]
    #expect(try Wire.lookupInfos(JSON(parsing: Wire.lookupInfos(people))) == people)
    let ids = [KeptNotificationID("x"), KeptNotificationID("x", subscriptionID: "s")]
    #expect(try Wire.notificationIDs(JSON(parsing: Wire.notificationIDs(ids))) == ids)
    #expect(try Wire.badge(JSON(parsing: Wire.badge(3))) == 3)
  }

  @Test func `keys of a changes body are defaults for its zones`() throws {
    let body = try parse(
      #"""
      {"zones":[{"zoneID":{"zoneName":"A"},"desiredKeys":[],"reverse":true},{"zoneID":"B","numbersAsStrings":true}],
       "resultsLimit":100,"desiredKeys":["km"],"desiredRecordTypes":["Hike"]}
      """#)
    let requests = try Wire.zoneChangesRequests(body)
    #expect(requests.map(\.limit) == [100, 100])
    #expect(requests.map(\.desiredKeys) == [[], ["km"]])
    #expect(requests.map(\.desiredTypes) == [["Hike"], ["Hike"]])
    #expect(requests[1].zone == ZoneID(name: "B"))
    #expect(requests.map(\.numbersAsStrings) == [nil, true])
    #expect(requests.map(\.reverse) == [true, nil])
    #expect(Wire.wantsNumbersAsStrings(["numberAsStrings": true]))
    #expect(!Wire.wantsNumbersAsStrings(["numbersAsStrings": false]))
  }

  @Test(arguments: [
    ("desiredKeys", #"{"zones":[{"zoneID":"A"}],NAMES}"#),
    ("desiredKeys", #"{"zones":[{"zoneID":"A",NAMES}]}"#),
    ("desiredRecordTypes", #"{"zones":[{"zoneID":"A"}],NAMES}"#),
    ("desiredRecordTypes", #"{"zones":[{"zoneID":"A",NAMES}]}"#),
    ("desiredRecordTypes", #"{"zoneID":"A",NAMES}"#),
    ("rootRecordDesiredKeys", #"{"shortGUIDs":[{"value":"0c1Wq",NAMES}]}"#),
  ])
  func `1,000 names may be wished for at once, and not one more`(
    key: String, form: String
  ) throws {
    func read(_ count: Int) throws {
      let names = (0..<count).map { #""n\#($0)""# }.joined(separator: ",")
      let body = try parse(form.replacing("NAMES", with: #""\#(key)":[\#(names)]"#))
      if body["zones"] != nil {
        _ = try Wire.zoneChangesRequests(body)
      } else if body["zoneID"] != nil {
        _ = try Wire.recordChangesRequest(body)
      } else {
        _ = try Wire.shortGUIDs(body)
      }
    }
    try read(1000)
    let error = #expect(throws: BrumeError.self) { try read(1001) }
    #expect(error?.code == .badRequest)
    #expect(error?.reason.contains("'\(key)' has 1001 names; the maximum is 1000") == true)
  }

  @Test func `a schema name in fieldName means the system field`() throws {
    let body = try parse(
      #"""
      {"query":{"recordType":"Hike","filterBy":[
        {"comparator":"EQUALS","fieldName":"___createdBy","fieldValue":{"value":"_a"}},
        {"comparator":"EQUALS","systemFieldName":"recordName","fieldValue":{"value":"a","type":"STRING"}},
        {"comparator":"CONTAINS_ANY","fieldName":"tags","fieldValue":{"value":["a"]}}],
       "sortBy":[{"fieldName":"___modTime"},
         {"fieldName":"start","relativeLocation":{"latitude":1,"longitude":2}}]}}
      """#)
    let query = try QueryRequest(json: body).query
    #expect(
      query.filters.map(\.field) == [
        .system(.createdUserRecordName), .system(.recordName), .field("tags"),
      ])
    #expect(query.filters[2].comparator == .listContainsAny)
    #expect(query.sorts[0] == Sort(.system(.modifiedTimestamp)))
    #expect(query.sorts[1].relativeLocation == Location(latitude: 1, longitude: 2))
  }

  @Test func `one condition or one sort needs no array around it`() throws {
    let condition = #"{"comparator":"IN","fieldName":"n","fieldValue":{"value":[1]}}"#
    let body = try parse(
      #"{"query":{"recordType":"T","filterBy":\#(condition),"sortBy":{"fieldName":"n"}}}"#)
    let query = try QueryRequest(json: body).query
    #expect(query.filters == [Filter(.in, .field("n"), .list([.int64(1)], of: .int64))])
    #expect(query.sorts == [Sort(.field("n"))])
  }

  @Test func `one record or one zone to look up needs no array around it`() throws {
    let lookup = try LookupRecordsRequest(json: try parse(#"{"records":{"recordName":"a"}}"#))
    #expect(lookup.items.map(\.name) == ["a"])
    #expect(try Wire.zoneLookup(try parse(#"{"zones":{"zoneName":"B"}}"#)) == [ZoneID(name: "B")])
    let text = try parse(#"{"zones":"B"}"#)
    let error = #expect(throws: BrumeError.self) { try Wire.zoneLookup(text) }
    #expect(error?.reason == "'zones' must be an array, not a text")
  }

  @Test(arguments: [
    (#"{"filterBy":"n"}"#, "'filterBy' must be an array, not a text"),
    (
      #"{"filterBy":{"comparator":"EQUALS","fieldName":"n","fieldValue":{"value":null}}}"#,
      "filterBy[0]: 'fieldValue.value' is missing; EQUALS needs a value to compare with"
    ),
    (
      #"{"filterBy":[{"comparator":"EQUALS","fieldName":"n","fieldValue":{"value":1,"type":7}}]}"#,
      "filterBy[0]: field 'n': 'type' must be a text, not a number"
    ),
  ])
  func `a condition that cannot be read is refused with its place`(
    _ members: String, _ reason: String
  ) throws {
    let query = #"{"query":{"recordType":"T",\#(members.dropFirst().dropLast())}}"#
    let error = #expect(throws: BrumeError.self) { try QueryRequest(json: try parse(query)) }
    #expect(error?.code == .badRequest)
    #expect(error?.reason.hasPrefix(reason) == true, "\(error?.reason ?? "")")
  }

  private static let a = FieldValue.reference(Reference(recordName: "a"))

  @Test(arguments: [
    (#"{"value":{"recordName":"a"},"type":"STRING"}"#, a),
    (#"{"value":{"recordName":"a"},"type":"REFERENCE"}"#, a),
    (#"{"value":{"recordName":"a"}}"#, a),
    (#"{"value":"a","type":"REFERENCE"}"#, .string("a")),
    (#"{"value":"a","type":"STRING"}"#, .string("a")),
    (#"{"value":[{"recordName":"a"}],"type":"STRING_LIST"}"#, .list([a], of: .reference)),
    (#"{"value":["a"],"type":"REFERENCE_LIST"}"#, .list([.string("a")], of: .string)),
    (#"{"value":[],"type":"REFERENCE_LIST"}"#, .list([], of: .reference)),
  ])
  func `a condition on recordName takes a reference or a text whatever its tag`(
    value: String, read: FieldValue
  ) throws {
    let names = [
      #""systemFieldName":"recordName""#, #""fieldName":"___recordID""#,
      #""fieldName":"___recordId""#, #""systemFieldName":"___recordId""#,
    ]
    for name in names {
      let filter = #"{"comparator":"EQUALS",\#(name),"fieldValue":\#(value)}"#
      let body = try parse(#"{"query":{"recordType":"T","filterBy":[\#(filter)]}}"#)
      let first = try #require(try QueryRequest(json: body).query.filters.first)
      #expect(first.field == .system(.recordName) && first.value == read)
    }
  }

  @Test(arguments: ["numbersAsStrings", "numberAsStrings"])
  func `numbersAsStrings is true or false, and a text is refused by name`(key: String) throws {
    let wrong = #""\#(key)":"true""#
    let bodies: [(String, (JSON) throws -> Void)] = [
      (#"{"operations":[],\#(wrong)}"#, { _ = try ModifyRecordsRequest(json: $0) }),
      (
        #"{"operations":[{"operationType":"create","record":{},\#(wrong)}]}"#,
        { _ = try ModifyRecordsRequest(json: $0) }
      ),
      (#"{"records":[],\#(wrong)}"#, { _ = try LookupRecordsRequest(json: $0) }),
      (#"{"query":{"recordType":"T"},\#(wrong)}"#, { _ = try QueryRequest(json: $0) }),
      (#"{"zones":[],\#(wrong)}"#, { _ = try Wire.zoneChangesRequests($0) }),
      (#"{"shortGUIDs":[],\#(wrong)}"#, { _ = try Wire.shortGUIDs($0) }),
    ]
    for (text, read) in bodies {
      let error = #expect(throws: BrumeError.self) { try read(try parse(text)) }
      #expect(error?.code == .badRequest)
      let reason = "'\(key)' must be true or false, not a text"
      #expect(error?.reason.contains(reason) == true, "\(text)")
    }
  }

  @Test func `subscription spellings of other clients are understood`() throws {
    let body = try parse(
      #"""
      {"operations":[
        {"operationType":"create","subscription":{"subscriptionType":"query","firesOn":["create"],
          "zoneWide":false,"query":{"recordType":"T"},
          "notificationInfo":{"collapseIDKey":"k","desiredKeys":["a"],"alertBody":""}}},
        {"operationType":"update","subscription":{"subscriptionID":"z","subscriptionType":"zone",
          "zoneID":{"zoneName":"Z"},"brume":{"recordType":"Hike"}}}]}
      """#)
    let operations = try ModifySubscriptionsRequest(json: body).operations
    guard case .save(let first) = operations[0], case .update(let second) = operations[1] else {
      return #expect(Bool(false))
    }
    #expect(first.id.isEmpty)
    #expect(first.info?.collapseIDKey == "k")
    #expect(first.info?.desiredKeys == ["a"])
    #expect(first.info?.alert.literal == "")
    guard case .query(_, let zone, [.create], false) = first.kind else {
      return #expect(Bool(false))
    }
    #expect(zone == ZoneID(name: ZoneID.defaultName))
    #expect(second.kind == .zone(ZoneID(name: "Z"), recordType: "Hike"))
  }

  @Test func `a stored subscription reads back`() throws {
    for subscription in Sample.subscriptions {
      #expect(try Wire.subscription(Wire.encode(subscription)) == subscription)
    }
  }

  @Test(arguments: [
    ("abcd", "abcd"), ("ABCD", "abcd"), ("q1F2", "ab5176"), ("/+8=", "ffef"),
  ])
  func `a push token is hex or base64`(_ text: String, _ token: String) throws {
    let request = try TokenRequest(
      json: ["apnsEnvironment": "development", "apnsToken": .string(text), "clientID": "c"])
    #expect(request == TokenRequest(environment: .development, token: token, clientID: "c"))
  }

  @Test(arguments: [
    ("{}", "'operations' is missing"), ("[]", "the body must be an object, not an array"),
    (#"{"operations":{}}"#, "'operations' must be an array, not an object"),
    (#"{"operations":[1]}"#, "operations[0]: it must be an object, not a number"),
    (#"{"operations":[{"operationType":"upsert","record":{}}]}"#, "operations[0]: 'operationType'"),
    (#"{"operations":[{"operationType":"create"}]}"#, "operations[0]: 'record' is missing"),
    (#"{"operations":[],"zoneID":7}"#, "a zone ID must be an object, not a number"),
    (#"{"operations":[],"atomic":"yes"}"#, "'atomic' must be true or false, not a text"),
    (#"{"operations":[],"desiredKeys":[1]}"#, "'desiredKeys' must be an array of texts"),
    (
      #"{"operations":[{"operationType":"create","record":{"participants":[{"type":"KING"}]}}]}"#,
      "operations[0]: participants[0]: 'type' must be OWNER"
    ),
    (
      #"{"operations":[{"operationType":"create","record":{"forRecord":{}}}]}"#,
      "'recordName' is missing"
    ),
    (
      #"{"operations":[{"operationType":"create","record":{"fields":{"n":{"value":1,"type":7}}}}]}"#,
      "operations[0]: field 'n': 'type' must be a text, not a number"
    ),
  ])
  func `an unexpected shape is refused with its place`(_ text: String, _ reason: String) {
    let error = #expect(throws: BrumeError.self) { try ModifyRecordsRequest(json: try parse(text)) }
    #expect(error?.code == .badRequest)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test(arguments: [
    #"{"query":{}}"#, #"{"query":{"recordType":"T"},"resultsLimit":-1}"#,
    #"{"query":{"recordType":"T"},"resultsLimit":1.5}"#,
    #"{"query":{"recordType":"T","filterBy":[{"comparator":"LIKE","fieldName":"a","fieldValue":{"value":1}}]}}"#,
    #"{"query":{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldValue":{"value":1}}]}}"#,
    #"{"query":{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"a"}]}}"#,
    #"{"query":{"recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"a","fieldValue":{}}]}}"#,
    #"{"query":{"recordType":"T","sortBy":[{}]}}"#,
    #"{"query":{"recordType":"T","sortBy":[{"systemFieldName":"weight"}]}}"#,
  ])
  func `a query that says too little is refused`(_ text: String) {
    let error = #expect(throws: BrumeError.self) { try QueryRequest(json: try parse(text)) }
    #expect(error?.code == .badRequest)
  }

  @Test(arguments: [
    #"{"comparator":"IN","fieldName":"a","systemFieldName":"share","fieldValue":{"value":[1]}}"#
  ])
  func `two names of a field are refused`(filter: String) {
    let error = #expect(throws: BrumeError.self) {
      try QueryRequest(json: try parse(#"{"query":{"recordType":"T","filterBy":[\#(filter)]}}"#))
    }
    #expect(error?.code == .badRequest && error?.reason.contains("leave one") == true)
  }

  @Test(arguments: ["___createTime", "createdTimestamp"])
  func `one field may be named twice:`(name: String) throws {
    let sort = #"{"fieldName":"\#(name)","systemFieldName":"createdTimestamp"}"#
    let body = try parse(#"{"query":{"recordType":"T","sortBy":[\#(sort)]}}"#)
    #expect(try QueryRequest(json: body).query.sorts == [Sort(.system(.createdTimestamp))])
  }

  @Test func `QRY-15 a limit of 0 leaves it to the server`() throws {
    let body = try parse(#"{"query":{"recordType":"T"},"resultsLimit":0}"#)
    #expect(try QueryRequest(json: body).limit == nil)
  }
}
