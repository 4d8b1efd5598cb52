// Zone IDs. How nested classes are archived is in `Conversions/ArchivedClasses.swift`.

public import Foundation

/// The owner name that stands for the current user.
public let CKCurrentUserDefaultName = "__defaultOwner__"

/// The older name of ``CKCurrentUserDefaultName``.
@available(*, deprecated, renamed: "CKCurrentUserDefaultName")
public let CKOwnerDefaultName = "__defaultOwner__"

extension CKRecordZone {
  /// The class behind ``CKRecordZone/ID``: a zone's name and its owner.
  // Sendable because every stored property is constant.
  open class ID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The zone's name, unique among the zones of its owner.
    public let zoneName: String
    /// The record name of the user who owns the zone, or ``CKCurrentUserDefaultName``.
    public let ownerName: String

    /// The ID of the current user's default zone.
    public static let `default` = CKRecordZone.ID()
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
      guard let zone = coder.text("zoneName") ?? coder.text(AppleKey.zoneName),
        let owner = coder.text("ownerName"), !zone.isEmpty
      else { return nil }
      zoneName = zone
      ownerName = owner
    }

    /// Writes the ID into an archive.
    open func encode(with coder: NSCoder) {
      coder.encodeText(zoneName, "zoneName")
      coder.encodeText(ownerName, "ownerName")
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedRecordZoneID.self }
    #endif

    /// The ID itself: it cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether two are equal.
    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? CKRecordZone.ID else { return false }
      return zoneName == other.zoneName && ownerName == other.ownerName
    }

    /// A hash that agrees with ``isEqual(_:)``.
    open override var hash: Int {
      var hasher = Hasher()
      hasher.combine(zoneName)
      hasher.combine(ownerName)
      return hasher.finalize()
    }

    /// A text for logs and debuggers.
    open override var description: String {
      "<CKRecordZoneID: zoneName=\(zoneName), ownerName=\(ownerName)>"
    }
  }
}
