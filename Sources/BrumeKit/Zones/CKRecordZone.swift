// A record zone: an ID and what the server says it can do.

public import Foundation
import Synchronization

// Sendable because everything that can change is behind a mutex.
/// A zone of a database: a group of records that are fetched, saved and shared together.
open class CKRecordZone: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The zone's ID.
  open var zoneID: CKRecordZone.ID { id }
  private let id: CKRecordZone.ID
  private let state: Mutex<Contents>
  private struct Contents: Sendable {
    var capabilities: CKRecordZone.Capabilities = []
    var share: CKRecord.Reference?
    var encryptionScope = CKRecordZone.EncryptionScope.perRecord
    var beginning: String?
  }

  /// What the zone can do. The server says it: empty until the zone was saved or fetched (case ZON-01).
  open internal(set) var capabilities: CKRecordZone.Capabilities {
    get { state.withLock { $0.capabilities } }
    set { state.withLock { $0.capabilities = newValue } }
  }
  /// The zone-wide share, if the zone is shared as a whole.
  open internal(set) var share: CKRecord.Reference? {
    get { state.withLock { $0.share } }
    set { state.withLock { $0.share = newValue } }
  }
  /// How the zone protects encrypted values. Fixed when the zone is created.
  open var encryptionScope: CKRecordZone.EncryptionScope {
    get { state.withLock { $0.encryptionScope } }
    set { state.withLock { $0.encryptionScope = newValue } }
  }

  /// The token of a zone's beginning, if the server knew the zone as new when it was saved.
  var beginning: String? {
    get { state.withLock { $0.beginning } }
    set { state.withLock { $0.beginning = newValue } }
  }

  /// The current user's default zone.
  open class func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

  /// Creates a zone of the current user, to be saved.
  public init(zoneName: String) {
    id = ID(zoneName: zoneName)
    state = Mutex(Contents())
  }

  /// Creates a zone with an ID, to be saved.
  public init(zoneID: CKRecordZone.ID) {
    id = zoneID
    state = Mutex(Contents())
  }

  /// Reads a zone from an archive.
  public required init?(coder: NSCoder) {
    let isApples = coder.containsValue(forKey: AppleKey.zoneID)
    guard let id = coder.object(CKRecordZone.ID.self, isApples ? AppleKey.zoneID : "zoneID")
    else { return nil }
    // Apple's framework writes an object, which is not read as a number.
    let abilities =
      isApples
      ? coder.object(NSNumber.self, "Capabilities")?.intValue ?? 0
      : coder.decodeInteger(forKey: "capabilities")
    let shareKey = isApples ? AppleKey.shareReference : "share"
    self.id = id
    state = Mutex(
      Contents(
        capabilities: Capabilities(rawValue: UInt(bitPattern: abilities)),
        share: coder.object(CKRecord.Reference.self, shareKey),
        encryptionScope: EncryptionScope(rawValue: coder.decodeInteger(forKey: "encryption"))
          ?? .perRecord))
  }

  /// Writes the zone into an archive.
  open func encode(with coder: NSCoder) {
    coder.encode(zoneID, forKey: "zoneID")
    coder.encode(Int(bitPattern: capabilities.rawValue), forKey: "capabilities")
    coder.encode(encryptionScope.rawValue, forKey: "encryption")
    if let share { coder.encode(share, forKey: "share") }
  }

  /// Always true.
  open class var supportsSecureCoding: Bool { true }

  /// A zone with the same ID and abilities.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKRecordZone(zoneID: zoneID)
    copy.capabilities = capabilities
    copy.share = share
    copy.encryptionScope = encryptionScope
    return copy
  }

  /// Whether two are equal.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? CKRecordZone)?.zoneID == zoneID
  }

  /// A hash that agrees with ``isEqual(_:)``.
  open override var hash: Int { zoneID.hash }

  /// A text for logs and debuggers.
  open override var description: String {
    "<CKRecordZone: zoneID=\(zoneID), capabilities=\(capabilities.rawValue)>"
  }
}

extension CKRecordZone {
  /// What a zone can do.
  public struct Capabilities: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Changes since a token can be fetched.
    public static var fetchChanges: Capabilities { Capabilities(rawValue: 1 << 0) }
    /// Batches succeed or fail as a whole.
    public static var atomic: Capabilities { Capabilities(rawValue: 1 << 1) }
    /// Records of the zone can be shared.
    public static var sharing: Capabilities { Capabilities(rawValue: 1 << 2) }
    /// The zone can be shared as a whole.
    public static var zoneWideSharing: Capabilities { Capabilities(rawValue: 1 << 3) }

    /// What custom zones can do; default zones can do nothing of it.
    static let custom: Capabilities = [.fetchChanges, .atomic, .sharing, .zoneWideSharing]
  }

  /// How a zone protects encrypted values.
  public enum EncryptionScope: Int, Sendable {
    /// Each record has its own key.
    case perRecord = 0
    /// The whole zone has one key.
    case perZone = 1
  }
}
