// Somebody who takes part in a share, or is invited to.

import BrumeModel
public import Foundation
import Synchronization

extension CKShare {
  // Sendable because everything that can change is behind a mutex.
  /// Somebody who takes part in a share, or is invited to.
  ///
  /// Source: Apple's `CKShare.Participant` page.
  open class Participant: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Identifies a participant in a share.
    public typealias ID = String

    /// Identifies the participant in the share.
    open var participantID: ID { fixed.id }
    /// Who it is.
    open var userIdentity: CKUserIdentity { fixed.identity }
    /// Where the participant stands.
    open var acceptanceStatus: CKShare.ParticipantAcceptanceStatus { fixed.acceptance }
    private let fixed:
      (id: ID, identity: CKUserIdentity, acceptance: CKShare.ParticipantAcceptanceStatus)
    private let state: Mutex<Contents>
    private struct Contents: Sendable {
      var role: CKShare.ParticipantRole
      var permission: CKShare.ParticipantPermission
      var dateAdded: Date?
      var isApprovedRequester = false
      var oneTimeToken: String?
    }

    /// What the participant is in the share. Of an invitation: `privateUser`, unless set.
    open var role: CKShare.ParticipantRole {
      get { state.withLock { $0.role } }
      set { state.withLock { $0.role = newValue } }
    }
    /// What the participant may do. Of an invitation: read, unless set.
    open var permission: CKShare.ParticipantPermission {
      get { state.withLock { $0.permission } }
      set { state.withLock { $0.permission = newValue } }
    }
    /// When the participant came into the share; nil before the share was saved.
    open internal(set) var dateAddedToShare: Date? {
      get { state.withLock { $0.dateAdded } }
      set { state.withLock { $0.dateAdded = newValue } }
    }
    /// Whether the participant asked for access and was let in.
    open internal(set) var isApprovedRequester: Bool {
      get { state.withLock { $0.isApprovedRequester } }
      set { state.withLock { $0.isApprovedRequester = newValue } }
    }
    /// The secret part of a one-time URL; empty before the server made one.
    private(set) var oneTimeToken: String? {
      get { state.withLock { $0.oneTimeToken } }
      set { state.withLock { $0.oneTimeToken = newValue } }
    }

    init(
      id: ID, identity: CKUserIdentity, role: CKShare.ParticipantRole,
      permission: CKShare.ParticipantPermission, acceptance: CKShare.ParticipantAcceptanceStatus
    ) {
      fixed = (id, identity, acceptance)
      state = Mutex(Contents(role: role, permission: permission))
    }

    /// Participants come from ``CKFetchShareParticipantsOperation`` and from shares.
    @available(*, unavailable, message: "Fetch participants by address, number or user record.")
    public override convenience init() {
      self.init(inviting: CKUserIdentity(lookupInfo: nil, userRecordID: nil))
    }

    /// A place in a share for whoever comes first by a URL of its own.
    ///
    /// Add it to the share, save, and hand out ``CKShare/oneTimeURL(for:)``. Until somebody takes
    /// the place, its identity is empty.
    open class func oneTimeURLParticipant() -> Self {
      let place = CKShare.Participant(
        id: UUID().uuidString, identity: CKUserIdentity(lookupInfo: nil, userRecordID: nil),
        role: .privateUser, permission: .readOnly, acceptance: .pending)
      place.oneTimeToken = ""
      return place as? Self ?? Self.made(like: place)
    }

    /// The same as a subclass's own. What every subclass has is the initializer that reads an archive.
    private class func made(like place: CKShare.Participant) -> Self {
      let archiver = NSKeyedArchiver(requiringSecureCoding: true)
      place.encode(with: archiver)
      archiver.finishEncoding()
      guard let reader = try? NSKeyedUnarchiver(forReadingFrom: archiver.encodedData),
        let made = Self(coder: reader)
      else {
        preconditionFailure("init(coder:) of \(Self.self) must read what encode(with:) wrote")
      }
      return made
    }

    // MARK: Copying and coding

    /// Whether the class can be archived securely: yes.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      open override var classForCoder: AnyClass { ArchivedShareParticipant.self }
    #endif

    /// Restores a participant from an archive.
    public required init?(coder: NSCoder) {
      let isApples = coder.containsValue(forKey: AppleKey.participantID)
      guard
        let id = coder.text(isApples ? AppleKey.participantID : "participantID"),
        let identity = isApples
          ? coder.appleParticipant : coder.object(CKUserIdentity.self, "userIdentity")
      else { return nil }
      func number(_ key: String, _ apples: String) -> Int {
        coder.decodeInteger(forKey: isApples ? apples : key)
      }
      let acceptance = number("acceptance", "AcceptanceStatus")
      fixed = (id, identity, .init(rawValue: acceptance) ?? .unknown)
      state = Mutex(
        Contents(
          role: .init(rawValue: number("role", "Type")) ?? .unknown,
          permission: .init(rawValue: number("permission", "Permission")) ?? .unknown,
          dateAdded: coder.date("dateAdded"),
          isApprovedRequester: coder.decodeBool(forKey: "isApprovedRequester"),
          oneTimeToken: coder.text("oneTimeToken")))
    }

    /// Archives the participant.
    open func encode(with coder: NSCoder) {
      coder.encodeText(participantID, "participantID")
      coder.encode(userIdentity, forKey: "userIdentity")
      coder.encode(role.rawValue, forKey: "role")
      coder.encode(permission.rawValue, forKey: "permission")
      coder.encode(acceptanceStatus.rawValue, forKey: "acceptance")
      coder.encodeDate(dateAddedToShare, "dateAdded")
      coder.encode(isApprovedRequester, forKey: "isApprovedRequester")
      coder.encodeText(oneTimeToken, "oneTimeToken")
    }

    /// Makes an independent copy.
    open func copy(with zone: NSZone? = nil) -> Any {
      let copy = CKShare.Participant(
        id: participantID, identity: userIdentity, role: role, permission: permission,
        acceptance: acceptanceStatus)
      copy.dateAddedToShare = dateAddedToShare
      copy.isApprovedRequester = isApprovedRequester
      copy.oneTimeToken = oneTimeToken
      return copy
    }

    // MARK: Comparing

    /// Whether two stand for the same person, whatever either may do or has done (Apple's header of 27).
    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? CKShare.Participant else { return false }
      if participantID == other.participantID { return true }
      if let mine = userIdentity.userRecordID, let theirs = other.userIdentity.userRecordID {
        return mine == theirs
      }
      guard let mine = userIdentity.lookupInfo, let theirs = other.userIdentity.lookupInfo
      else { return false }
      if let address = mine.emailAddress, let other = theirs.emailAddress {
        return EmailAddress.isSame(address, other)
      }
      return mine == theirs
    }

    /// The same for all: two that are equal need not have anything certain in common.
    open override var hash: Int { 0 }

    /// A text for logs and debuggers.
    open override var description: String {
      "<CKShareParticipant: participantID=\(participantID), role=\(role), permission=\(permission), "
        + "acceptanceStatus=\(acceptanceStatus)>"
    }

    // MARK: The server's words

    /// A participant as the server returns it, seen by somebody.
    convenience init(
      _ participant: BrumeModel.Participant, in zone: ZoneID, from viewpoint: Viewpoint
    ) {
      let name = participant.identity.user.map { viewpoint.userName($0, in: zone) }
      self.init(
        id: participant.id, identity: CKUserIdentity(participant.identity, recordName: name),
        role: .init(participant.role), permission: .init(participant.permission),
        acceptance: .init(participant.acceptance))
      dateAddedToShare = participant.added?.date
      isApprovedRequester = participant.isApprovedRequester
      oneTimeToken = participant.oneTimeToken
    }
  }
}

extension CKShare.Participant {
  /// An invitation for somebody.
  convenience init(inviting identity: CKUserIdentity) {
    self.init(
      id: UUID().uuidString, identity: identity, role: .privateUser, permission: .readOnly,
      acceptance: .pending)
  }

  /// The participant in the model's words.
  var model: BrumeModel.Participant {
    var participant = BrumeModel.Participant(
      id: participantID, role: role.model, permission: permission.model,
      acceptance: acceptanceStatus.model, identity: userIdentity.model)
    participant.oneTimeToken = oneTimeToken
    return participant
  }

  var isCurrentUser: Bool { userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName }
}
