// Zone IDs. The class has its Objective-C name because Foundation on Linux can archive only classes
// that are not nested in another type (its `NSStringFromClass` stops the program for others); the
// name that Swift code writes is the alias `CKRecordZone.ID`. All nested coding classes do the same.

public import Foundation

/// The owner name that stands for the current user.
public let CKCurrentUserDefaultName = "__defaultOwner__"

/// The older name of ``CKCurrentUserDefaultName``.
@available(*, deprecated, renamed: "CKCurrentUserDefaultName")
public let CKOwnerDefaultName = "__defaultOwner__"

extension CKRecordZone {
  /// Identifies a zone: its name and its owner.
  public typealias ID = CKRecordZoneID
}

/// The class behind ``CKRecordZone/ID``: a zone's name and its owner.
// Sendable because every stored property is constant.
public class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The zone's name, unique among the zones of its owner.
  public let zoneName: String
  /// The record name of the user who owns the zone, or ``CKCurrentUserDefaultName``.
  public let ownerName: String

  /// The ID of the current user's default zone.
  public static let `default` = CKRecordZoneID()
  /// The name of every default zone.
  public static let defaultZoneName = "_defaultZone"

  /// Names a zone. Without arguments: the default zone of the current user.
  public init(
    zoneName: String = CKRecordZone.ID.defaultZoneName,
    ownerName: String = CKCurrentUserDefaultName
  ) {
    precondition(!zoneName.isEmpty, "a zone name must not be empty")
    self.zoneName = zoneName
    self.ownerName = ownerName
  }

  /// The older form, in which a nil owner stands for the current user.
  @available(*, deprecated, message: "Use a non-optional owner name.")
  public convenience init(
    zoneName: String = CKRecordZone.ID.defaultZoneName, ownerName: String?
  ) {
    let owner: String = ownerName ?? CKCurrentUserDefaultName
    self.init(zoneName: zoneName, ownerName: owner)
  }

  /// Reads an ID from an archive.
  public required init?(coder: NSCoder) {
    guard let zone = coder.text("zoneName"), let owner = coder.text("ownerName") else { return nil }
    zoneName = zone
    ownerName = owner
  }

  /// Writes the ID into an archive.
  public func encode(with coder: NSCoder) {
    coder.encodeText(zoneName, "zoneName")
    coder.encodeText(ownerName, "ownerName")
  }

  /// Always true.
  public class var supportsSecureCoding: Bool { true }

  /// The ID itself: it cannot change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKRecordZoneID else { return false }
    return zoneName == other.zoneName && ownerName == other.ownerName
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(zoneName)
    hasher.combine(ownerName)
    return hasher.finalize()
  }

  public override var description: String {
    "<CKRecordZoneID: zoneName=\(zoneName), ownerName=\(ownerName)>"
  }
}
