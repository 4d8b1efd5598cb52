// What to fetch of one zone: from which token, how much, which fields.

public import Foundation
import Synchronization

extension CKFetchRecordZoneChangesOperation {
  /// The older name of ``ZoneConfiguration``.
  @available(*, deprecated, renamed: "ZoneConfiguration")
  public typealias ZoneOptions = CKFetchRecordZoneChangesOperation.ZoneConfiguration
}

extension CKFetchRecordZoneChangesOperation {
  /// What to fetch of one zone: from which token, how much, which fields.
  ///
  /// Source: Apple's `CKFetchRecordZoneChangesOperation.ZoneConfiguration` page.
  // Sendable because everything that can change is behind a mutex.
  open class ZoneConfiguration: NSObject, NSSecureCoding, NSCopying,
    @unchecked Sendable
  {
    struct State {
      var token: CKServerChangeToken?
      var resultsLimit = 0
      var desiredKeys: [CKRecord.FieldKey]?
    }
    private let state: Mutex<State>
    var values: State { state.withLock { $0 } }

    init(_ state: State) {
      self.state = Mutex(state)
    }

    /// Creates a configuration that fetches everything from the beginning.
    public override init() {
      self.state = Mutex(State())
    }

    /// Creates a configuration.
    public convenience init(
      previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
      desiredKeys: [CKRecord.FieldKey]? = nil
    ) {
      self.init(
        State(
          token: previousServerChangeToken, resultsLimit: resultsLimit ?? 0,
          desiredKeys: desiredKeys))
    }

    /// Where to start; nil: at the beginning.
    open var previousServerChangeToken: CKServerChangeToken? {
      get { values.token }
      set { state.withLock { $0.token = newValue } }
    }

    /// How many changes one request answers at most; 0 leaves it to the server.
    open var resultsLimit: Int {
      get { values.resultsLimit }
      set { state.withLock { $0.resultsLimit = newValue } }
    }

    /// The fields to fetch: nil means all, an empty list none.
    open var desiredKeys: [CKRecord.FieldKey]? {
      get { values.desiredKeys }
      set { state.withLock { $0.desiredKeys = newValue } }
    }

    // MARK: Copying and coding

    /// Whether the class can be archived securely: yes.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedZoneConfiguration.self }
    #endif

    /// Restores a configuration from an archive.
    public required init?(coder: NSCoder) {
      self.state = Mutex(
        State(
          token: coder.object(CKServerChangeToken.self, "token"),
          resultsLimit: coder.decodeInteger(forKey: "resultsLimit"),
          desiredKeys: coder.decodeBool(forKey: "hasDesiredKeys") ? coder.texts("desiredKeys") : nil
        ))
    }

    /// Archives the configuration.
    open func encode(with coder: NSCoder) {
      let values = values
      coder.encode(values.token, forKey: "token")
      coder.encode(values.resultsLimit, forKey: "resultsLimit")
      coder.encode(values.desiredKeys != nil, forKey: "hasDesiredKeys")
      coder.encodeTexts(values.desiredKeys ?? [], "desiredKeys")
    }

    /// Makes an independent copy.
    open func copy(with zone: NSZone? = nil) -> Any {
      CKFetchRecordZoneChangesOperation.ZoneConfiguration(values)
    }
  }
}
