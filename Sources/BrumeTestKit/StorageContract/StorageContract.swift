// The promises of `Store.swift`, as cases that any engine must pass. A case gets an empty store and
// throws what it found wrong. Run on every engine in Tests/BrumeStorageTests.

package import BrumeModel
package import BrumeStorage

/// The cases that every engine must pass.
package enum StorageContract {
  /// One promise of engines. Throws what it found wrong.
  package struct Case: Sendable, CustomStringConvertible {
    /// A sentence that is true of every engine.
    package let name: String
    /// Whether the case is one of many of its kind, made by chance.
    package let isRandom: Bool
    package let run: @Sendable (any Store) async throws -> Void

    init(
      _ name: String, isRandom: Bool = false,
      _ run: @escaping @Sendable (any Store) async throws -> Void
    ) {
      self.name = name
      self.isRandom = isRandom
      self.run = run
    }
    package var description: String { name }
  }

  /// A promise that was not kept, in words.
  package struct Violation: Error, CustomStringConvertible {
    package let description: String
  }

  package static let all: [Case] =
    transactions + zones + records + changes + log + subscriptions + devices + notifications
    + delivery + history + accounts + assets + signIn + operators + queries + concurrency
    + snapshots
}

func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  if !condition { throw StorageContract.Violation(description: what()) }
}

func expectEqual<Value: Equatable>(
  _ found: Value, _ expected: Value, _ what: @autoclosure () -> String = "value"
) throws {
  try expect(found == expected, "\(what()): expected \(expected), found \(found)")
}

// MARK: Things to store

extension ContainerID {
  package static let sample = ContainerID("iCloud.org.example.contract")
}

extension ContainerEnvironment {
  package static let sample = ContainerEnvironment(.sample, .development)
  package static let sampleProduction = ContainerEnvironment(.sample, .production)
}

extension DatabaseKey {
  /// A database of the container that cases use; without an owner its public one.
  package static func sample(owner: String? = "_a1") -> DatabaseKey {
    DatabaseKey(in: .sample, owner: owner.map { UserID($0) })
  }
}

extension ZoneKey {
  /// A zone of the container that cases use.
  package static func sample(_ name: String = "Trails", owner: String? = "_a1") -> ZoneKey {
    ZoneKey(database: .sample(owner: owner), name: name)
  }
}

extension Record {
  /// A record as a save with this sequence would leave it.
  package static func sample(
    _ name: String, in zone: ZoneKey = .sample(), type: String = "Trail", sequence: Int64,
    fields: [String: FieldValue] = [:], parent: String? = nil
  ) -> Record {
    let stamp = Stamp(time: 1_700_000_000_000 + sequence, user: UserID("_a1"), device: "phone")
    return Record(
      name: name, zone: zone.id, type: type, changeTag: ChangeTag.text(sequence), fields: fields,
      created: stamp, modified: stamp, parent: parent)
  }
}

extension Origin {
  package static let sample = Origin(
    user: UserID("_a1"), device: DeviceID("phone"), requestID: "R1", time: 1_700_000_000_000)
}

extension Store {
  /// The bucket of the sample database.
  var sampleBucket: Bucket { Bucket(of: .sample(), among: bucketCount) }
}

extension WriteTransaction {
  /// Puts a record at the next sequence.
  @discardableResult
  package func putNext(
    _ name: String, in zone: ZoneKey = .sample(), type: String = "Trail",
    fields: [String: FieldValue] = [:], parent: String? = nil
  ) throws -> Int64 {
    let sequence = try sequences.next(in: zone.database)
    try records.put(
      .sample(name, in: zone, type: type, sequence: sequence, fields: fields, parent: parent),
      in: zone, sequence: sequence)
    return sequence
  }
}

extension ReadTransaction {
  func hasRecord(_ name: String, in zone: ZoneKey = .sample()) throws -> Bool {
    try records.find(RecordKey(zone: zone, name: name)) != nil
  }
}
