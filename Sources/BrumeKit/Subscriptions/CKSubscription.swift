// What every kind of subscription has: an identifier, a kind, and how its pushes look.
//
// The kinds are CKQuerySubscription, CKRecordZoneSubscription and CKDatabaseSubscription. The
// server decides what a subscription means; Subscription+Model.swift turns one into its question.

import BrumeModel
public import Foundation
import Synchronization

/// A standing request to be notified, by push, of changes in a database.
///
/// Use one of the subclasses, set ``notificationInfo``, and save it to the database that it
/// watches. It belongs to the user who saves it; each of that user's devices is notified, except the
/// one that made the change. Changing a fetched subscription needs another save.
///
/// Source: Apple's `CKSubscription` page and header.
// Sendable because everything that can change is behind a mutex.
open class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The name of a subscription, chosen by the app.
  public typealias ID = String

  /// The three kinds of subscriptions.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum SubscriptionType: Int, Sendable {
    /// Changes to records that match a predicate.
    case query = 1
    /// Any change in one record zone.
    case recordZone = 2
    /// Any change in a custom zone of a whole database.
    case database = 3
  }

  /// What a subclass adds and the app may change after creating it.
  struct State {
    var info: NotificationInfo?
    var recordType: CKRecord.RecordType?
    var zoneID: CKRecordZone.ID?
  }

  let state: Mutex<State>

  /// The name of the subscription. Saving another one with the same name replaces it.
  public let subscriptionID: ID

  init(id: ID, state: State = State()) {
    self.subscriptionID = id
    self.state = Mutex(state)
  }

  /// The ID, checked: an empty one is a programming error.
  static func checked(_ id: ID) -> ID {
    precondition(!id.isEmpty, "A subscription needs an ID that is not empty.")
    return id
  }

  /// Not for use: create one of the subclasses.
  @available(*, unavailable, message: "Create one of the subclasses.")
  public override convenience init() {
    self.init(id: UUID().uuidString)
  }

  /// The kind of subscription, which says to which subclass to cast.
  open var subscriptionType: SubscriptionType {
    preconditionFailure("CKSubscription is abstract; create one of its subclasses.")
  }

  /// How the pushes look. Nil until it is set; a subscription without it cannot be saved.
  ///
  /// Apple's header asks for a value before saving, its page allows nil. Here saving without one
  /// is refused with ``CKError/Code/invalidArguments``.
  open var notificationInfo: NotificationInfo? {
    get { state.withLock { $0.info } }
    set {
      let copy = newValue.map { $0.copied() }
      state.withLock { $0.info = copy }
    }
  }

  // MARK: Copying and coding

  /// Whether the class can be archived securely: yes.
  open class var supportsSecureCoding: Bool { true }

  /// Restores a subscription from an archive. Nil for one of this class itself, which is no kind of
  /// subscription.
  public required init?(coder: NSCoder) {
    guard Self.self != CKSubscription.self, coder.containsValue(forKey: "subscriptionID")
    else { return nil }
    let (id, state) = Self.archived(coder)
    self.subscriptionID = id
    self.state = Mutex(state)
  }

  /// What ``encode(with:)`` has written; a new ID if it has written nothing.
  static func archived(_ coder: NSCoder) -> (id: ID, state: State) {
    let id = coder.text("subscriptionID") ?? ""
    if id.isEmpty { coder.refuse("a subscription") }
    let state = State(
      info: coder.object(CKSubscription.NotificationInfo.self, "notificationInfo"),
      recordType: coder.text("recordType"),
      zoneID: coder.object(CKRecordZone.ID.self, "zoneID"))
    return (id.isEmpty ? UUID().uuidString : id, state)
  }

  /// Archives the subscription.
  open func encode(with coder: NSCoder) {
    let state = state.withLock { $0 }
    coder.encodeText(subscriptionID, "subscriptionID")
    coder.encodeText(state.recordType, "recordType")
    coder.encode(state.info, forKey: "notificationInfo")
    coder.encode(state.zoneID, forKey: "zoneID")
  }

  /// Makes an independent copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    preconditionFailure("CKSubscription is abstract; create one of its subclasses.")
  }

  /// Whether two have the same ID and ask for the same, as a subscription and its archived copy do. One whose predicate
  /// cannot be sent equals only itself.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CKSubscription else { return false }
    if other === self { return true }
    guard subscriptionID == other.subscriptionID,
      let mine = try? kind(), let theirs = try? other.kind(), mine == theirs
    else { return false }
    return notificationInfo?.value == other.notificationInfo?.value
  }

  /// A hash that agrees with ``isEqual(_:)``.
  open override var hash: Int { subscriptionID.hashValue }

  /// A text for logs and debuggers.
  open override var description: String {
    "<\(type(of: self)): subscriptionID=\(subscriptionID)>"
  }

  /// The state of a copy: notification information is copied too.
  var copiedState: State {
    var copy = state.withLock { $0 }
    copy.info = copy.info?.copied()
    return copy
  }
}
