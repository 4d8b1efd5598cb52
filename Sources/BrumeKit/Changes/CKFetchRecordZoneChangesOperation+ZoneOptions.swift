// The class that said what to fetch of a zone before `ZoneConfiguration` did. Old model layers make
// them, keep them in archives and read them back from the operation, so it is a class of its own with
// members of its own, as in Apple's framework; the operation itself knows configurations only.

public import Foundation

extension CKFetchRecordZoneChangesOperation {
  /// The older form of ``ZoneConfiguration``.
  ///
  /// Source: the deprecated `CKFetchRecordZoneChangesOperation.ZoneOptions` of Apple's SDK.
  // Sendable because everything that can change is behind a mutex.
  @available(*, deprecated, renamed: "CKFetchRecordZoneChangesOperation.ZoneConfiguration")
  open class ZoneOptions: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    fileprivate let content: ZoneConfiguration.Content

    fileprivate init(_ content: ZoneConfiguration.Content) { self.content = content }

    /// Creates options that fetch everything from the beginning.
    public override init() { content = ZoneConfiguration.Content() }

    /// Where to start; nil: at the beginning.
    open var previousServerChangeToken: CKServerChangeToken? {
      get { content.values.token }
      set { content.change { $0.token = newValue } }
    }

    /// How many changes one request answers at most; 0 leaves it to the server.
    open var resultsLimit: Int {
      get { content.values.resultsLimit }
      set { content.change { $0.resultsLimit = newValue } }
    }

    /// The fields to fetch: nil means all, an empty list none.
    open var desiredKeys: [CKRecord.FieldKey]? {
      get { content.values.desiredKeys }
      set { content.change { $0.desiredKeys = newValue } }
    }

    // MARK: Copying and coding

    /// Whether the class can be archived securely: yes.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedZoneOptions.self }
    #endif

    /// Restores options from an archive.
    public required init?(coder: NSCoder) {
      content = ZoneConfiguration.Content(ZoneConfiguration.State(coder))
    }

    /// Archives the options.
    open func encode(with coder: NSCoder) { content.values.encode(with: coder) }

    /// Makes an independent copy.
    open func copy(with zone: NSZone? = nil) -> Any {
      CKFetchRecordZoneChangesOperation.ZoneOptions(
        ZoneConfiguration.Content(content.values))
    }
  }

  /// The older form of `init(recordZoneIDs:configurationsByRecordZoneID:)`.
  @available(*, deprecated, renamed: "init(recordZoneIDs:configurationsByRecordZoneID:)")
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID],
    optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? = nil
  ) {
    self.init()
    self.recordZoneIDs = recordZoneIDs
    self.optionsByRecordZoneID = optionsByRecordZoneID
  }

  /// The older form of ``configurationsByRecordZoneID``: other objects with the same content, so that
  /// a change of one is a change of the other.
  @available(*, deprecated, renamed: "configurationsByRecordZoneID")
  public var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? {
    get { configurationsByRecordZoneID?.mapValues { ZoneOptions($0.content) } }
    set { configurationsByRecordZoneID = newValue?.mapValues { ZoneConfiguration($0.content) } }
  }
}

/// The class for the list of archived classes, which is no use of it that deserves a warning.
protocol OldClasses { static var zoneOptions: AnyClass { get } }

enum DeprecatedClasses: OldClasses {
  @available(*, deprecated)
  static var zoneOptions: AnyClass { CKFetchRecordZoneChangesOperation.ZoneOptions.self }
}
