// What has happened before an input's first request: zones, records of every kind of value, a share, subscriptions,
// roles, and public records under a schema with indexes.

enum Story {
  private static let here = "/database/1/iCloud.org.example.app/development"
  private static let fields = #"""
    {"text":{"value":"one two"},"count":{"value":5,"type":"INT64"},"size":{"value":1.5,"type":"DOUBLE"},
    "day":{"value":1795000000000,"type":"TIMESTAMP"},"place":{"value":{"latitude":1,"longitude":2}},
    "tags":{"value":["a","b"],"type":"STRING_LIST"},"data":{"value":"AQID","type":"BYTES"},
    "other":{"value":{"recordName":"a","action":"NONE"}}}
    """#

  static let text = [
    "alice POST \(here)/private/zones/modify\n\n"
      + #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Notes"}}}]}"#,
    "alice POST \(here)/private/records/modify\n\n"
      + #"{"zoneID":{"zoneName":"Notes"},"operations":[{"operationType":"create","record":{"recordName":"a","#
      + #""recordType":"Note","fields":{"text":{"value":"one"}}}},{"operationType":"create","record":{"#
      + #""recordName":"b","recordType":"Note","fields":"# + fields + "}}]}",
    "alice POST \(here)/private/records/modify\n\n"
      + #"{"zoneID":{"zoneName":"Notes"},"operations":[{"operationType":"create","record":{"recordName":"#
      + #""cloudkit.zoneshare","recordType":"cloudkit.share","publicPermission":"READ_WRITE"}}]}"#,
    "bob POST \(here)/private/records/accept\n\n" + #"{"shortGUIDs":[{"value":"{shortGUID}"}]}"#,
    "alice POST \(here)/private/subscriptions/modify\n\n"
      + #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":"#
      + #""zone","zoneID":{"zoneName":"Notes"}}}]}"#,
    "alice POST \(here)/public/records/modify\n\n"
      + #"{"operations":[{"operationType":"create","record":{"recordName":"p","recordType":"Page","fields":"#
      + #"{"text":{"value":"one"},"count":{"value":1,"type":"INT64"}}}}]}"#,
    "bob POST \(here)/public/subscriptions/modify\n\n"
      + #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"q","subscriptionType":"#
      + #""query","firesOn":["create","update"],"query":{"recordType":"Page","filterBy":[{"comparator":"#
      + #""EQUALS","fieldName":"text","fieldValue":{"value":"one"}}]}}}]}"#,
    "alice POST \(here)/private/changes/zone\n\n"
      + #"{"zones":[{"zoneID":{"zoneName":"Notes"},"resultsLimit":1}]}"#,
    "alice POST \(here)/private/records/query\n\n"
      + #"{"query":{"recordType":"Note"},"zoneID":{"zoneName":"Notes"},"resultsLimit":1}"#,
    "alice POST /device/1/iCloud.org.example.app/development/tokens/create\n\n"
      + #"{"apnsEnvironment":"development","clientId":"d"}"#,
  ].joined(separator: "\n~~~\n")
}
