// A subscription to records that match a predicate.

import BrumeModel
import BrumeWire
public import Foundation
import Synchronization

/// A subscription that notifies of records of one type that match a predicate.
///
/// Works in the public and the private database. A created or updated record must match after the
/// change, a deleted one must have matched before it. Predicates follow the rules of ``CKQuery``
/// and need the same indexes. Source: Apple's `CKQuerySubscription` page.
// Sendable because the rest never changes and the superclass keeps what can behind a mutex.
open class CKQuerySubscription: CKSubscription, @unchecked Sendable {
  /// Which changes fire the subscription.
  public struct Options: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Creates options from bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }
    /// A matching record was created.
    public static let firesOnRecordCreation = Options(rawValue: 1 << 0)
    /// A record was changed and matches now.
    public static let firesOnRecordUpdate = Options(rawValue: 1 << 1)
    /// A matching record was deleted.
    public static let firesOnRecordDeletion = Options(rawValue: 1 << 2)
    /// One push in all, then the server deletes the subscription. It needs one of the others.
    public static let firesOnce = Options(rawValue: 1 << 3)

    static let changes: Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  }

  private let type: CKRecord.RecordType
  private let condition: NSPredicate
  private let options: Options

  init(
    recordType: CKRecord.RecordType, predicate: NSPredicate, id: CKSubscription.ID,
    options: Options, state: State
  ) {
    self.type = recordType
    self.condition = predicate
    self.options = options
    super.init(id: id, state: state)
  }

  /// Creates a subscription.
  ///
  /// - Parameters:
  ///   - recordType: The type of the records; not empty.
  ///   - predicate: What the records must match.
  ///   - subscriptionID: The name; not empty. Saving the same name again replaces.
  ///   - querySubscriptionOptions: At least one of creation, update and deletion; anything else
  ///     is a programming error and traps, as Apple's framework raises an exception.
  public convenience init(
    recordType: CKRecord.RecordType, predicate: NSPredicate,
    subscriptionID: CKSubscription.ID,
    options querySubscriptionOptions: Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  ) {
    precondition(!recordType.isEmpty, "A query subscription needs a record type.")
    precondition(
      !querySubscriptionOptions.isDisjoint(with: .changes),
      "A query subscription needs at least one of creation, update and deletion to fire on.")
    self.init(
      recordType: recordType, predicate: predicate, id: Self.checked(subscriptionID),
      options: querySubscriptionOptions, state: State())
  }

  /// Creates a subscription with a new random name.
  @available(
    *, deprecated, message: "Name the subscription: one with a new name is one more on the server."
  )
  public convenience init(
    recordType: CKRecord.RecordType, predicate: NSPredicate,
    options querySubscriptionOptions: Options = [
      .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
    ]
  ) {
    self.init(
      recordType: recordType, predicate: predicate, subscriptionID: UUID().uuidString,
      options: querySubscriptionOptions)
  }

  /// Always ``CKSubscription/SubscriptionType/query``.
  open override var subscriptionType: SubscriptionType { .query }

  /// The type of the records.
  open var recordType: CKRecord.RecordType? { type }

  /// What the records must match.
  open var predicate: NSPredicate { condition }

  /// Which changes fire it.
  open var querySubscriptionOptions: Options { options }

  /// If set, only records of this zone count; nil means every zone of the database.
  open var zoneID: CKRecordZone.ID? {
    get { state.withLock { $0.zoneID } }
    set { state.withLock { $0.zoneID = newValue } }
  }

  // MARK: Copying and coding

  /// Restores a subscription from an archive. An archive of something else gives one that
  /// nothing fires.
  public required init(coder: NSCoder) {
    let options = Options(
      rawValue: UInt(truncatingIfNeeded: coder.decodeInteger(forKey: "options")))
    let json = coder.bytes("query").flatMap { try? JSON(parsing: $0) }
    let query = json.flatMap { try? QueryRequest(json: $0).query }
    let isWhole = query?.recordType.isEmpty == false && !options.isDisjoint(with: .changes)
    if !isWhole { coder.refuse("the query of a subscription") }
    let (id, state) = Self.archived(coder)
    self.type = query?.recordType ?? ""
    self.condition = query.map { NSPredicate(filters: $0.filters) } ?? NSPredicate(value: false)
    self.options = options
    super.init(id: id, state: state)
  }

  /// Archives the subscription. It fails for predicates that CloudKit does not support.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(Int(bitPattern: options.rawValue), forKey: "options")
    do {
      let query = Query(recordType: type, filters: try condition.filters())
      coder.encodeBytes(QueryRequest(query: query).json.bytes(), "query")
    } catch {
      #if canImport(ObjectiveC)
        coder.failWithError(error)
      #else
        // Foundation's `failWithError` stops the program here, whatever the archiver is for.
        (coder as? NSKeyedArchiver)?.error = error
      #endif
    }
  }

  /// Makes an independent copy.
  open override func copy(with zone: NSZone? = nil) -> Any {
    CKQuerySubscription(
      recordType: type, predicate: condition, id: subscriptionID, options: options,
      state: copiedState)
  }
}
