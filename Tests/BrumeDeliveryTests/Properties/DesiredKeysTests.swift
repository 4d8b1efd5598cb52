import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeDelivery

/// A push carries fields of the allowed types only, never an encrypted one, and only of records that the
/// subscriber may read.
@Suite(.timeLimit(.minutes(10))) struct DesiredKeysTests {
  private static let wanted = ["title", "priority", "secret", "data", "tags"]

  @Test(arguments: PushChannel.devices)
  func `SUB-16 a push carries allowed fields of a readable record only, by`(
    pushChannel: PushChannel
  ) async throws {
    #expect(try await carried(pushChannel, by: \.bob, type: "Note") == [["priority", "title"]])
    #expect(try await carried(pushChannel, by: \.bob, type: "Report") == [])
    #expect(try await carried(pushChannel, by: \.alice, type: "Report") == [["priority", "title"]])
  }

  @Test func `an image that forgot what is encrypted is caught`() async throws {
    let fields = try await carried(.stream, by: \.bob, type: "Note", isMarked: false)
    #expect(fields == [["priority", "secret", "title"]])
  }

  /// The fields that a subscriber's device saw in each push about a record of Alice's. The subscription
  /// is put past the rules that would have refused it, as one from before the schema knew its fields.
  private func carried(
    _ pushChannel: PushChannel, by user: KeyPath<DeliveryFixture, UserID>, type: String,
    isMarked: Bool = true
  ) async throws -> [[String]] {
    var limits = Limits()
    limits.desiredKeys = 5
    let fixture = try await DeliveryFixture(limits: limits)
    let subscriber = fixture[keyPath: user]
    try await fixture.register("phone", pushChannel, of: subscriber)
    let database = DatabaseKey(in: DeliveryFixture.containerEnvironment, owner: nil)
    let zone = ZoneKey(database: database, name: ZoneID.defaultName)
    var info = NotificationInfo.alert()
    info.desiredKeys = Self.wanted
    let scope = SubscriptionScope(
      in: DeliveryFixture.containerEnvironment, scope: .public, user: subscriber)
    let record = record(in: zone, type, of: fixture.alice, isMarked)
    let origin = Origin(user: fixture.alice, device: nil, requestID: "r", time: 0)
    try await fixture.memory.write(in: .all) { [info] store in
      let startPosition = try store.log.append(
        .subscription(scope, id: "s"), in: database, origin: origin)
      let subscription = Subscription(id: "s", kind: .created(type), info: info)
      try store.subscriptions.put(
        StoredSubscription(
          scope: scope, subscription: subscription, starts: LogPositions(startPosition, in: .only)))
      let sequence = try store.sequences.next(in: database)
      let stored = try store.records.put(record, in: zone, sequence: sequence)
      let change = RecordChange(
        record: RecordKey(zone: zone, name: record.name), recordType: type, kind: .created,
        image: stored)
      try store.log.append(.record(change), in: database, origin: origin)
    }
    try await fixture.notify()
    try await fixture.receive("phone")
    return fixture.received("phone").map(\.fields)
  }

  private func record(
    in zone: ZoneKey, _ type: String, of user: UserID, _ isMarked: Bool
  ) -> Record {
    var record = Record(
      name: "n", zone: zone.id, type: type,
      fields: [
        "title": .string("t"), "priority": .int64(1), "secret": .string("s"), "data": .bytes([1]),
        "tags": .list([.string("a")], of: .string),
      ])
    record.created = Stamp(time: 0, user: user, device: "d")
    record.encryptedFields = isMarked ? ["secret"] : []
    return record
  }
}
