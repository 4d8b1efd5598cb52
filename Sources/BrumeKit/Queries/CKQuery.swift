// A query: a record type, a predicate, an order. It is checked when it is used.

import BrumeModel
import BrumeWire
public import Foundation
import Synchronization

// Sendable because predicates and sort descriptors do not change, and the list of the latter is
// behind a mutex.
/// A search for records of one type.
open class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The type of the records to find.
  public let recordType: CKRecord.RecordType
  /// What the records must meet. Conditions can be combined by AND only.
  public let predicate: NSPredicate
  /// The order of the results; the first criterion counts most.
  open var sortDescriptors: [NSSortDescriptor]? {
    get { order.withLock { $0 }.descriptors }
    set {
      let new = Order(descriptors: newValue)
      order.withLock { $0 = new }
    }
  }
  private let order = Mutex(Order())
  // Sendable because sort descriptors do not change.
  private struct Order: @unchecked Sendable {
    var descriptors: [NSSortDescriptor]?
  }

  /// Creates a search.
  public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
    precondition(!recordType.isEmpty, "a query needs a record type")
    self.recordType = recordType
    self.predicate = predicate
  }

  /// The same as another, which may be of an archive of something else and have no record type.
  private init(like other: CKQuery) {
    recordType = other.recordType
    predicate = other.predicate
    super.init()
    sortDescriptors = other.sortDescriptors
  }

  /// Reads a query from an archive. An archive of something else gives one for records of no type.
  public required init(coder aDecoder: NSCoder) {
    let data = aDecoder.object(NSData.self, "query").map { Data(referencing: $0) }
    let model = data.flatMap { try? QueryRequest(json: JSON(parsing: [UInt8]($0))) }?.query
    recordType = model?.recordType ?? ""
    predicate = model.map { NSPredicate(filters: $0.filters) } ?? NSPredicate(value: false)
    super.init()
    sortDescriptors = model?.sorts.map(NSSortDescriptor.make)
  }

  /// Writes the query into an archive. A predicate that CloudKit does not support matches nothing
  /// when it is read back.
  open func encode(with coder: NSCoder) {
    let model = (try? model()) ?? Query(recordType: recordType, filters: Self.nothing)
    coder.encode(NSData(data: Data(QueryRequest(query: model).bytes())), forKey: "query")
  }
  private static let nothing = (try? NSPredicate(value: false).filters()) ?? []

  /// Always true.
  open class var supportsSecureCoding: Bool { true }

  /// A query for the same, in the same order.
  open func copy(with zone: NSZone? = nil) -> Any { CKQuery(like: self) }

  /// The query as the server understands it, or the error that says what it does not support.
  func model() throws -> Query {
    Query(
      recordType: recordType, filters: try predicate.filters(now: Milliseconds(Date())),
      sorts: try (sortDescriptors ?? []).map { try $0.model() })
  }

  /// A text for logs and debuggers.
  open override var description: String { "<CKQuery: recordType=\(recordType)>" }
}

extension NSSortDescriptor {
  /// The descriptor of a criterion of the server.
  fileprivate static func make(_ sort: Sort) -> NSSortDescriptor {
    let key = sort.field.schemaName
    if let place = sort.relativeLocation {
      return CKLocationSortDescriptor(key: key, relativeLocation: CLLocation(place))
    }
    return NSSortDescriptor(key: key, ascending: sort.ascending)
  }
}
