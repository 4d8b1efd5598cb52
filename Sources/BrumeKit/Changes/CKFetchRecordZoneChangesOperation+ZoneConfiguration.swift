// What to fetch of one zone: from which token, how much, which fields.

public import Foundation
import Synchronization

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
    /// Shared with the older form of the configuration, if there is one.
    final class Content: Sendable {
      private let state: Mutex<State>
      init(_ state: State = State()) { self.state = Mutex(state) }
      var values: State { state.withLock { $0 } }
      func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    }
    let content: Content
    var values: State { content.values }

    init(_ content: Content) { self.content = content }

    /// Creates a configuration that fetches everything from the beginning.
    public override init() {
      content = Content()
    }

    /// Creates a configuration.
    public convenience init(
      previousServerChangeToken: CKServerChangeToken? = nil, resultsLimit: Int? = nil,
      desiredKeys: [CKRecord.FieldKey]? = nil
    ) {
      self.init(
        Content(
          State(
            token: previousServerChangeToken, resultsLimit: resultsLimit ?? 0,
            desiredKeys: desiredKeys)))
    }

    /// Where to start; nil: at the beginning.
    open var previousServerChangeToken: CKServerChangeToken? {
      get { values.token }
      set { content.change { $0.token = newValue } }
    }

    /// How many changes one request answers at most; 0 leaves it to the server.
    open var resultsLimit: Int {
      get { values.resultsLimit }
      set { content.change { $0.resultsLimit = newValue } }
    }

    /// The fields to fetch: nil means all, an empty list none.
    open var desiredKeys: [CKRecord.FieldKey]? {
      get { values.desiredKeys }
      set { content.change { $0.desiredKeys = newValue } }
    }

    // MARK: Copying and coding

    /// Whether the class can be archived securely: yes.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedZoneConfiguration.self }
    #endif

    /// Restores a configuration from an archive.
    public required init?(coder: NSCoder) { content = Content(State(coder)) }

    /// Archives the configuration.
    open func encode(with coder: NSCoder) { values.encode(with: coder) }

    /// Makes an independent copy.
    open func copy(with zone: NSZone? = nil) -> Any {
      CKFetchRecordZoneChangesOperation.ZoneConfiguration(Content(values))
    }
  }
}

extension CKFetchRecordZoneChangesOperation.ZoneConfiguration.State {
  init(_ coder: NSCoder) {
    token = coder.object(CKServerChangeToken.self, "token")
    resultsLimit = coder.decodeInteger(forKey: "resultsLimit")
    desiredKeys = coder.decodeBool(forKey: "hasDesiredKeys") ? coder.texts("desiredKeys") : nil
  }

  func encode(with coder: NSCoder) {
    coder.encode(token, forKey: "token")
    coder.encode(resultsLimit, forKey: "resultsLimit")
    coder.encode(desiredKeys != nil, forKey: "hasDesiredKeys")
    coder.encodeTexts(desiredKeys ?? [], "desiredKeys")
  }
}
