import CloudKit
import Foundation
import Testing

struct DoublesTests {
  @Test func `an app's initializer of a container may ask for the framework's`() {
    #expect(CKContainer(app: "org.example").containerIdentifier == "iCloud.org.example")
    #expect(CKContainer.app("org.example").containerIdentifier == "iCloud.org.example")
    #expect(type(of: CountingContainer.app("a")) == CountingContainer.self)
  }

  @Test func `a container's subclass is asked in the place of its class`() async {
    let container: CKContainer = CountingContainer(identifier: "iCloud.org.example")
    #expect(container.containerIdentifier == "counted")
    let operation = CKFetchRecordsOperation(recordIDs: [])
    container.add(operation)
    #expect(operation.isCancelled)
  }

  @Test func `a subclass of what the server makes is read from an archive`() throws {
    let place = StubParticipant.oneTimeURLParticipant()
    #expect(type(of: place) == StubParticipant.self)
    #expect(place.acceptanceStatus == .accepted && place.permission == .readOnly)
    let info = StubLookup(emailAddress: "b@example.com")
    #expect(info.emailAddress == "a@example.com")
    #expect(StubAsset(fileURL: URL(fileURLWithPath: "/tmp/x")).fileURL?.path == "/dev/null")
  }

  @Test func `a name may be both a value's and that of what a field holds`() {
    let record = CKRecord(recordType: "Note")
    record["count"] = 3
    record["title"] = "Milk"
    #expect(listing(record) == ["3", "Milk"])
  }

  @Test func `what a field may hold is written and read in every spelling`() {
    let record = CKRecord(recordType: "Note")
    written("any", under: "any", in: record)
    #expect(texts(record) == ["1", "1", "word", "1"])
    #expect(record["any"] == "any" && record["title"] == "text")
    written(self, under: "any", in: record)
    #expect(record["any"] == nil)
  }

  @Test func `a handler of which nothing is said is called`() async {
    let error: (any Error)? = await withCheckedContinuation { continuation in
      handOn(CKContainer(identifier: "iCloud.org.example").privateCloudDatabase) {
        continuation.resume(returning: $1)
      }
    }
    #expect(error is CKError)
  }

  @Test func `a handler that a protocol asks for is called`() async {
    let container: any AnyContainer = CKContainer(identifier: "iCloud.org.example")
    let status: CKAccountStatus = await withCheckedContinuation { continuation in
      container.accountStatus { status, _ in continuation.resume(returning: status) }
    }
    #expect(status == .couldNotDetermine)
    let database: any AnyDatabase = container.privateCloudDatabase
    let error: (any Error)? = await withCheckedContinuation { continuation in
      database.save(CKRecord(recordType: "Note")) { continuation.resume(returning: $1) }
    }
    #expect(error is CKError)
  }
}
