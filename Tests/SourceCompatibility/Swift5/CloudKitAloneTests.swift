import CloudKit
import Testing

@Suite struct CloudKitAloneTests {
  @Test func `arguments of a predicate's format are shown in other formats too`() {
    let date = Date(timeIntervalSince1970: 0)
    #expect(String(format: "%@!", date as CVarArg) == "1970-01-01 00:00:00 +0000!")
    #expect(String(format: "%@ %@", NSNumber(value: 7) as CVarArg, "x") == "7 x")
    let id = CKRecord.ID(recordName: "r")
    #expect(String(format: "%@", id as CVarArg) == "\(id)")
    #expect(Bookmark.argument(Data([1])) is NSData)
    #expect(Bookmark.argument(["x"] as Set<String>) is Set<String>)
    _ = Bookmark.with(thumbnail: Data([1]), in: NSSet(array: ["here"]))
    _ = Bookmark.added(since: date, by: [CKRecord.Reference(recordID: id, action: .none)])
    _ = Bookmark.near(
      CLLocation(latitude: 1, longitude: 2), owner: CKRecord.Reference(recordID: id, action: .none))
  }

  @Test func `a model that imports nothing else is stored in a record`() {
    let bookmark = Bookmark(address: URL(string: "https://example.org"), thumbnail: Data([1]))
    let record = bookmark.record
    #expect(record["added"] as? Date == bookmark.added)
    #expect(record["order"] as? Int == 1)
    #expect(record["thumbnail"] as? Data == Data([1]))
  }

  @Test func `a record goes from task to task`() async {
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
    record["title"] = "hello"
    let shelf = RecordShelf()
    await shelf.put(record)
    #expect(await shelf.title(of: record.recordID) == "hello")
  }

  @Test func `tasks that set fields of one record at the same time lose none`() async {
    let record = CKRecord(recordType: "Note")
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          record["f\(number)"] = number
          record.encryptedValues["e\(number)"] = number
          _ = record.changedKeys().count + record.allKeys().count
        }
      }
    }
    #expect(record.allKeys().count == 200 && record.encryptedValues.allKeys().count == 200)
    #expect(record.changedKeys().count == 400)
    #expect(record["f7"] as? Int == 7 && record["e7"] == nil)
  }

  @Test @MainActor func `a screen is notified of changes in what it shows`() async {
    let list = BookmarkList()
    await confirmation { notified in
      withObservationTracking {
        _ = list.bookmarks.count
      } onChange: {
        notified()
      }
      list.add(Bookmark())
    }
  }

  @Test func `tasks that invite people to one share lose none`() async {
    let share = CKShare(rootRecord: CKRecord(recordType: "List"))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask { share.addParticipant(.oneTimeURLParticipant()) }
      }
    }
    #expect(share.participants.count == 51)
    let zone = CKRecordZone(zoneName: "Z")
    let happenings: [Happening] = [
      .shared(share, with: share.participants), .saved(share, in: zone),
      .fetched([share], gone: [share.recordID]),
      .asked(CKQuery(recordType: "A", predicate: NSPredicate(value: true)), about: share),
    ]
    #expect(happenings.count == 4)
  }
}
