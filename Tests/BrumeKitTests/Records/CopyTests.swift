// Copies: what cannot change is its own copy, what can change has one that goes its own way.

import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

struct CopyTests {
  private let zone = CKRecordZone.ID(zoneName: "Z")

  private func copied<T: NSObject & NSCopying>(_ object: T) throws -> T {
    try #require(object.copy() as? T)
  }

  @Test func `what cannot change is its own copy`() throws {
    let id = CKRecord.ID(recordName: "a", zoneID: zone)
    let user = UserIdentity(user: UserID("_b"))
    let objects: [any NSObject & NSCopying] = [
      id, zone, CKRecord.Reference(recordID: id, action: .none),
      CKServerChangeToken(text: "t"), CLLocation(latitude: 1, longitude: 2),
      CKNotification.ID(notification: "n", subscription: "s"),
      CKQueryOperation.Cursor(QueryRequest(query: Query(recordType: "Note")), marker: "m"),
      CKUserIdentity.LookupInfo(emailAddress: "a@example.org"),
      CKUserIdentity(user, recordName: "_b"),
      try #require(CKShare.AccessRequester(user)), try #require(CKShare.BlockedIdentity(user)),
    ]
    for object in objects {
      #expect(object.copy() as? NSObject === object, "\(type(of: object))")
    }
  }

  @Test func `a subscription's copy is of its kind and goes its own way`() throws {
    let query = CKQuerySubscription(
      recordType: "Note", predicate: NSPredicate(format: "n > 3"), subscriptionID: "q",
      options: [.firesOnRecordCreation, .firesOnce])
    query.zoneID = zone
    let notes = CKRecordZoneSubscription(zoneID: zone, subscriptionID: "z")
    notes.recordType = "Note"
    let all = CKDatabaseSubscription(subscriptionID: "d")
    all.recordType = "Task"
    for subscription in [query, notes, all] as [CKSubscription] {
      let info = CKSubscription.NotificationInfo(alertBody: "Hi", title: "There")
      info.subtitle = "under it"
      info.collapseIDKey = "n"
      info.shouldSendMutableContent = true
      subscription.notificationInfo = info
      let copy = try copied(subscription)
      #expect(type(of: copy) == type(of: subscription))
      #expect(copy.subscriptionID == subscription.subscriptionID)
      #expect(copy.subscriptionType == subscription.subscriptionType)
      copy.notificationInfo?.alertBody = "changed"
      copy.notificationInfo?.title = nil
      #expect(subscription.notificationInfo?.alertBody == "Hi")
      #expect(subscription.notificationInfo?.title == "There")
      #expect(copy.notificationInfo?.subtitle == "under it")
      #expect(copy.notificationInfo?.collapseIDKey == "n")
      #expect(copy.notificationInfo?.shouldSendMutableContent == true)
    }
    let same = try copied(query)
    #expect(same.predicate.predicateFormat == query.predicate.predicateFormat)
    #expect(same.querySubscriptionOptions == query.querySubscriptionOptions)
    #expect(same.recordType == "Note" && same.zoneID == zone)
    let alike = try copied(notes)
    alike.recordType = nil
    #expect(notes.recordType == "Note" && alike.zoneID == zone)
    let other = try copied(all)
    other.recordType = nil
    #expect(all.recordType == "Task")
  }

  @Test func `a notification's settings are copied one by one`() throws {
    let info = CKSubscription.NotificationInfo()
    (info.alertLocalizationKey, info.alertLocalizationArgs) = ("key", ["a"])
    (info.titleLocalizationKey, info.titleLocalizationArgs) = ("title", ["b"])
    (info.subtitleLocalizationKey, info.subtitleLocalizationArgs) = ("subtitle", ["c"])
    (info.alertActionLocalizationKey, info.alertLaunchImage) = ("action", "image")
    (info.soundName, info.category, info.desiredKeys) = ("ping", "CATEGORY", ["d"])
    (info.shouldBadge, info.shouldSendContentAvailable) = (true, true)
    let copy = try copied(info)
    #expect(copy.alertLocalizationKey == "key" && copy.alertLocalizationArgs == ["a"])
    #expect(copy.titleLocalizationKey == "title" && copy.titleLocalizationArgs == ["b"])
    #expect(copy.subtitleLocalizationKey == "subtitle" && copy.subtitleLocalizationArgs == ["c"])
    #expect(copy.alertActionLocalizationKey == "action" && copy.alertLaunchImage == "image")
    #expect(copy.soundName == "ping" && copy.category == "CATEGORY" && copy.desiredKeys == ["d"])
    #expect(copy.shouldBadge && copy.shouldSendContentAvailable && !copy.shouldSendMutableContent)
    copy.alertLocalizationArgs = nil
    #expect(info.alertLocalizationArgs == ["a"])
  }

  @Test func `a share's copy has participants of its own`() throws {
    let share = CKShare(recordZoneID: zone)
    share[CKShare.SystemFieldKey.title] = "Ours"
    let guest = CKShare.Participant.oneTimeURLParticipant()
    guest.permission = .readOnly
    share.addParticipant(guest)
    let copy = try copied(share)
    #expect(copy[CKShare.SystemFieldKey.title] == "Ours" && copy.publicPermission == .none)
    #expect(copy.participants.map(\.participantID) == share.participants.map(\.participantID))
    copy.participants.last?.permission = .readWrite
    copy[CKShare.SystemFieldKey.title] = "Theirs"
    #expect(guest.permission == .readOnly)
    #expect(share[CKShare.SystemFieldKey.title] == "Ours")
  }

  @Test func `a zone's and a fetch's settings are copied`() throws {
    let original = CKRecordZone(zoneID: zone)
    original.encryptionScope = .perZone
    let copy = try copied(original)
    copy.encryptionScope = .perRecord
    #expect(copy.zoneID == zone && original.encryptionScope == .perZone)
    let settings = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
      previousServerChangeToken: CKServerChangeToken(text: "t"), resultsLimit: 3,
      desiredKeys: ["a"])
    let own = try copied(settings)
    (own.resultsLimit, own.desiredKeys) = (4, nil)
    #expect(settings.resultsLimit == 3 && settings.desiredKeys == ["a"])
    #expect(own.previousServerChangeToken == settings.previousServerChangeToken)
  }

  @Test func `a query is archived with a sorting by distance`() throws {
    let query = CKQuery(recordType: "Place", predicate: NSPredicate(format: "n > 3"))
    let place = CLLocation(latitude: 48.2, longitude: 16.4)
    query.sortDescriptors = [
      CKLocationSortDescriptor(key: "at", relativeLocation: place),
      NSSortDescriptor(key: "n", ascending: false),
    ]
    let data = try NSKeyedArchiver.archivedData(withRootObject: query, requiringSecureCoding: true)
    let read = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuery.self, from: data))
    let byDistance = try #require(read.sortDescriptors?.first as? CKLocationSortDescriptor)
    #expect(byDistance.relativeLocation.coordinate.latitude == 48.2)
    #expect(byDistance.key == "at" && read.sortDescriptors?.last?.key == "n")
    #expect(read.sortDescriptors?.last?.ascending == false)
    #expect(read.recordType == "Place")
    #expect(read.predicate.predicateFormat == query.predicate.predicateFormat)
  }
}
