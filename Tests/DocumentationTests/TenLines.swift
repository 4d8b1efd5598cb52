// Text docs/testing.md 2
// Text Sources/BrumeKit/BrumeKit.docc/TestingYourSyncCode.md 1
import BrumeTesting
import CloudKit
import Testing

@Test func `the second save conflicts, then the network drops, then the token expires`()
  async throws
{
  let server = try await LocalServer()
  let notes = NoteStore(container: try await server.device("phone", of: "alice"))
  try await notes.launch()
  server.faults.add(
    .conflict.skipping(1), .error(.networkFailure, on: .saveRecords), .expiredToken)
  try await notes.add("Milk")
  try await notes.rename("Milk", to: "Oat milk")
  try await notes.refresh()
  #expect(await notes.texts == ["Oat milk"])
  #expect(server.faults.waiting == 0)
}
// End

// Text docs/testing.md 3
// Text Sources/BrumeTesting/BrumeTrait.swift 1
@Test(.brume(users: "alice", "bob")) func `bob may read what alice shares, and gets a push`()
  async throws
{
  let server = try LocalServer.current
  let subscription = CKDatabaseSubscription(subscriptionID: "shared")
  subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "News")
  try await server["bob"].sharedCloudDatabase.save(subscription)
  let zone = CKRecordZone.ID(zoneName: "Notes")
  let list = CKRecord(recordType: "List", recordID: CKRecord.ID(recordName: "a", zoneID: zone))
  try await server.share(list, from: "alice", with: "bob", permission: .readOnly)
  list["title"] = "Groceries"
  try await server["alice"].privateCloudDatabase.save(list)
  try await server.push(to: "bob") { $0.subscriptionID == "shared" }
}
// End

// Text README.md 3
@Test(.brume(users: "alice")) func `a lost connection loses no note`() async throws {
  let server = try LocalServer.current
  let notes = NoteStore(container: server["alice"])  // the app's own
  try await notes.launch()
  server.faults.add(.error(.networkFailure, on: .saveRecords))
  try await notes.add("Milk")
  try await notes.refresh()
  #expect(await notes.texts == ["Milk"])
}
// End

// Text docs/apple-platforms.md 2
#if os(Linux)
  import BrumeTesting
#endif
// End

// Text docs/apple-platforms.md 3
#if os(Linux)
  import CloudKit
#else
  import BrumeKit
#endif
// End
