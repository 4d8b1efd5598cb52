import BrumeKit
import Foundation
import Testing

@Suite struct SubscriptionEqualityTests {
  private func query(_ format: String = "genre = 'Jazz'", id: String = "s") -> CKQuerySubscription {
    let query = CKQuerySubscription(
      recordType: "Whistles", predicate: NSPredicate(format: format), subscriptionID: id)
    query.notificationInfo = CKSubscription.NotificationInfo(alertBody: "new", shouldBadge: true)
    return query
  }

  @Test func `a subscription equals its archived copy`() throws {
    let zone = CKRecordZone.ID(zoneName: "Notes")
    for subscription in [
      query(), CKRecordZoneSubscription(zoneID: zone, subscriptionID: "s"),
      CKDatabaseSubscription(subscriptionID: "s"),
    ] {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: subscription, requiringSecureCoding: true)
      let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKSubscription.self, from: data)
      #expect(copy == subscription && copy?.hash == subscription.hash)
      #expect(Set([subscription]).contains(try #require(copy)))
    }
  }

  @Test func `one that asks for something else is another`() {
    let other = query()
    other.notificationInfo?.alertBody = "old"
    let elsewhere = query()
    elsewhere.zoneID = CKRecordZone.ID(zoneName: "Notes")
    let others: [CKSubscription] = [
      other, elsewhere, query("genre = 'Rock'"), query(id: "t"),
      CKDatabaseSubscription(subscriptionID: "s"),
    ]
    for one in others { #expect(one != query()) }
    #expect(query() == query())
  }

  @Test func `a condition that cannot be sent equals itself alone`() {
    let odd = query("genre MATCHES 'J.*'")
    #expect(odd == odd && odd != query("genre MATCHES 'J.*'"))
  }
}
