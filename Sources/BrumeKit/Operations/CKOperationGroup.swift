// Operations that belong to one piece of the user's work.

public import Foundation
import Synchronization

/// A name and common settings for operations that belong together.
///
/// Source: Apple's `CKOperationGroup` page. On Apple's systems the sizes help the system to plan;
/// here they are kept and have no effect.
// Sendable because everything that can change is behind a mutex.
open class CKOperationGroup: NSObject, NSSecureCoding, @unchecked Sendable {
  /// Roughly how much will be sent or received.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum TransferSize: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Less than a megabyte.
    case kilobytes = 1
    /// 1 to 10 megabytes.
    case megabytes = 2
    /// 10 to 100 megabytes.
    case tensOfMegabytes = 3
    /// 100 megabytes to a gigabyte.
    case hundredsOfMegabytes = 4
    /// 1 to 10 gigabytes.
    case gigabytes = 5
    /// 10 to 100 gigabytes.
    case tensOfGigabytes = 6
    /// More than 100 gigabytes.
    case hundredsOfGigabytes = 7
  }

  private struct State {
    var configuration = CKOperation.Configuration()
    var name: String?
    var quantity = 0
    var sending = TransferSize.unknown
    var receiving = TransferSize.unknown
  }

  private let state: Mutex<State>

  /// Identifies the group.
  public let operationGroupID: String

  /// Creates a group with an identifier of its own.
  public override init() {
    self.operationGroupID = UUID().uuidString
    self.state = Mutex(State())
  }

  /// The settings of operations that do not set their own. Setting it takes a copy; what it answers is
  /// the group's own, so that single values can be set in place.
  open var defaultConfiguration: CKOperation.Configuration! {
    get { state.withLock { $0.configuration } }
    set {
      let copy = newValue?.copied() ?? CKOperation.Configuration()
      state.withLock { $0.configuration = copy }
    }
  }

  /// A name for people.
  open var name: String? {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  /// A number that the app gives a meaning.
  open var quantity: Int {
    get { state.withLock { $0.quantity } }
    set { state.withLock { $0.quantity = newValue } }
  }

  /// Roughly how much will be sent.
  open var expectedSendSize: TransferSize {
    get { state.withLock { $0.sending } }
    set { state.withLock { $0.sending = newValue } }
  }

  /// Roughly how much will be received.
  open var expectedReceiveSize: TransferSize {
    get { state.withLock { $0.receiving } }
    set { state.withLock { $0.receiving = newValue } }
  }

  // MARK: Coding

  /// Whether the class can be archived securely: yes.
  open class var supportsSecureCoding: Bool { true }

  /// Restores a group from an archive, with its default settings except their container.
  public required init(coder aDecoder: NSCoder) {
    self.operationGroupID = aDecoder.text("operationGroupID") ?? UUID().uuidString
    var state = State()
    state.configuration = CKOperation.Configuration(.init(from: aDecoder))
    state.name = aDecoder.text("name")
    state.quantity = aDecoder.decodeInteger(forKey: "quantity")
    state.sending = TransferSize(rawValue: aDecoder.decodeInteger(forKey: "sending")) ?? .unknown
    state.receiving =
      TransferSize(rawValue: aDecoder.decodeInteger(forKey: "receiving")) ?? .unknown
    self.state = Mutex(state)
  }

  /// Archives the group.
  open func encode(with coder: NSCoder) {
    let state = state.withLock { $0 }
    coder.encodeText(operationGroupID, "operationGroupID")
    state.configuration.set.encode(with: coder)
    coder.encodeText(state.name, "name")
    coder.encode(state.quantity, forKey: "quantity")
    coder.encode(state.sending.rawValue, forKey: "sending")
    coder.encode(state.receiving.rawValue, forKey: "receiving")
  }
}
