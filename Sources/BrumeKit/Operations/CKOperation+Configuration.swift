// Settings of operations. A value that was set wins over the group's, the group's over the
// built-in one; so every value remembers whether it was set.

public import Foundation
import Synchronization

extension CKOperation {
  /// How operations run: in which container, how urgently, for how long.
  ///
  /// Source: Apple's `CKOperation.Configuration` page; the built-in values are those it documents.
  // Sendable because everything that can change is behind a mutex.
  open class Configuration: NSObject, @unchecked Sendable {
    /// The values that were set.
    struct Values {
      var container: CKContainer?
      var qualityOfService: QualityOfService?
      var allowsCellularAccess: Bool?
      var isLongLived: Bool?
      var timeoutIntervalForRequest: TimeInterval?
      var timeoutIntervalForResource: TimeInterval?
    }

    private let values: Mutex<Values>
    var set: Values { values.withLock { $0 } }

    /// Creates a configuration with the built-in values.
    public override init() {
      self.values = Mutex(Values())
    }

    init(_ values: Values) {
      self.values = Mutex(values)
    }

    func copied() -> CKOperation.Configuration { CKOperation.Configuration(set) }

    /// The container; nil means the default one.
    open var container: CKContainer? {
      get { set.container }
      set { values.withLock { $0.container = newValue } }
    }

    /// How urgent the work is. Operations of the classes `utility` and `background` repeat requests
    /// that failed for reasons that pass; the others report such failures.
    open var qualityOfService: QualityOfService {
      get { set.qualityOfService ?? .default }
      set { values.withLock { $0.qualityOfService = newValue } }
    }

    /// Whether mobile networks may be used. Kept, without effect here.
    open var allowsCellularAccess: Bool {
      get { set.allowsCellularAccess ?? true }
      set { values.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// Whether operations are written down, to be found again by a later run of the program: see
    /// ``CKOperation/isLongLived``.
    open var isLongLived: Bool {
      get { set.isLongLived ?? false }
      set { values.withLock { $0.isLongLived = newValue } }
    }

    /// The longest wait for the answer to one request, and within it for the next part, in seconds. Files go in parts too.
    open var timeoutIntervalForRequest: TimeInterval {
      get { set.timeoutIntervalForRequest ?? 60 }
      set { values.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// The longest time for the whole operation, with all its requests, files and repetitions, in seconds: seven days. None for operations of
    /// the classes `userInteractive` and `userInitiated`.
    open var timeoutIntervalForResource: TimeInterval {
      get { set.timeoutIntervalForResource ?? 604_800 }
      set { values.withLock { $0.timeoutIntervalForResource = newValue } }
    }
  }
}

extension CKOperation.Configuration.Values {
  /// These values, with another configuration's where nothing was set.
  func over(_ other: Self?) -> Self {
    guard let other else { return self }
    return Self(
      container: container ?? other.container,
      qualityOfService: qualityOfService ?? other.qualityOfService,
      allowsCellularAccess: allowsCellularAccess ?? other.allowsCellularAccess,
      isLongLived: isLongLived ?? other.isLongLived,
      timeoutIntervalForRequest: timeoutIntervalForRequest ?? other.timeoutIntervalForRequest,
      timeoutIntervalForResource: timeoutIntervalForResource ?? other.timeoutIntervalForResource)
  }
}
