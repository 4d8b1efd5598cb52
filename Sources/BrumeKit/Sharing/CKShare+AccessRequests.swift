// Asking to take part in a share, seen from the one who shares: who asked, who is blocked, and the
// answers, which count once the share is saved.

import BrumeModel
public import Foundation

// An app on Linux may have a module of this name; it is none of ours.
#if canImport(Darwin) && canImport(Contacts)
  public import Contacts
#endif

/// Who asked for access to a share, and what its owner answered.
struct ShareAccess {
  var allowsRequests = false
  var requesters: [CKShare.AccessRequester] = []
  var blocked: [CKShare.BlockedIdentity] = []
  /// Whether a save has anything to say.
  var isChanged = false

  /// As the server returns it.
  init(_ share: Share) {
    allowsRequests = share.allowsAccessRequests
    requesters = share.requesters.compactMap { CKShare.AccessRequester($0) }
    blocked = share.blocked.compactMap { CKShare.BlockedIdentity($0) }
  }

  init() {}

  /// As an archive has it.
  init(from coder: NSCoder) {
    allowsRequests = coder.decodeBool(forKey: "allowsAccessRequests")
    requesters = coder.objects(CKShare.AccessRequester.self, "requesters")
    blocked = coder.objects(CKShare.BlockedIdentity.self, "blocked")
    isChanged = coder.decodeBool(forKey: "accessChanged")
  }

  func encode(with coder: NSCoder) {
    coder.encode(allowsRequests, forKey: "allowsAccessRequests")
    coder.encode(NSArray(array: requesters), forKey: "requesters")
    coder.encode(NSArray(array: blocked), forKey: "blocked")
    coder.encode(isChanged, forKey: "accessChanged")
  }

  /// What was answered since a save was sent stays, and is sent with the next one.
  mutating func keepChanges(of now: ShareAccess, since sent: ShareAccess) {
    let answered = sent.requesters.users.subtracting(now.requesters.users)
    let unblocked = sent.blocked.users.subtracting(now.blocked.users)
    let newlyBlocked = now.blocked.users.subtracting(sent.blocked.users)
    isChanged =
      now.allowsRequests != sent.allowsRequests || !answered.isEmpty || !unblocked.isEmpty
      || !newlyBlocked.isEmpty
    guard isChanged else { return }
    if now.allowsRequests != sent.allowsRequests { allowsRequests = now.allowsRequests }
    requesters.removeAll { $0.user.map(answered.contains) ?? false }
    let known = blocked.users
    blocked.removeAll { $0.user.map(unblocked.contains) ?? false }
    blocked += now.blocked.filter { identity in
      identity.user.map { newlyBlocked.contains($0) && !known.contains($0) } ?? false
    }
  }

  /// What a save says; nil if nothing changed.
  var draft: AccessDraft? {
    guard isChanged else { return nil }
    return AccessDraft(
      allowsRequests: allowsRequests, waiting: requesters.compactMap(\.user),
      blocked: blocked.compactMap(\.user))
  }
}

extension [CKShare.AccessRequester] {
  fileprivate var users: Set<UserID> { Set(compactMap(\.user)) }
}

extension [CKShare.BlockedIdentity] {
  fileprivate var users: Set<UserID> { Set(compactMap(\.user)) }
}

extension CKShare {
  /// Somebody who asked for access to a share.
  ///
  /// To let them in, fetch a participant by ``participantLookupInfo``, add it to the share and save.
  /// Source: Apple's `CKShare.AccessRequester` page.
  // Sendable because it never changes.
  public final class AccessRequester: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Who it is.
    public let userIdentity: CKUserIdentity
    /// How to fetch a participant for this person.
    public var participantLookupInfo: CKUserIdentity.LookupInfo {
      CKUserIdentity.LookupInfo(
        userRecordID: userIdentity.userRecordID ?? CKRecord.ID(recordName: CKCurrentUserDefaultName)
      )
    }
    /// The person's name, as an address book would show it.
    public var contact: CNContact { CNContact.person(userIdentity) }

    init?(_ identity: UserIdentity) {
      guard let user = identity.user else { return nil }
      userIdentity = CKUserIdentity(identity, recordName: user.name)
    }

    fileprivate var user: UserID? { userIdentity.userRecordID.map { UserID($0.recordName) } }

    /// Whether the class can be archived securely: yes.
    public class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedAccessRequester.self }
    #endif

    /// Restores a requester from an archive.
    public required init?(coder: NSCoder) {
      guard let identity = coder.object(CKUserIdentity.self, "userIdentity") else { return nil }
      userIdentity = identity
    }

    /// Archives the requester.
    public func encode(with coder: NSCoder) {
      coder.encode(userIdentity, forKey: "userIdentity")
    }

    /// Returns the requester itself: it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }
  }

  /// Somebody who may neither join a share nor ask to.
  ///
  /// Source: Apple's `CKShare.BlockedIdentity` page.
  // Sendable because it never changes.
  public final class BlockedIdentity: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Who it is.
    public let userIdentity: CKUserIdentity
    /// The person's name, as an address book would show it.
    public var contact: CNContact { CNContact.person(userIdentity) }

    init?(_ identity: UserIdentity) {
      guard let user = identity.user else { return nil }
      userIdentity = CKUserIdentity(identity, recordName: user.name)
    }

    fileprivate init(_ requester: AccessRequester) { userIdentity = requester.userIdentity }

    fileprivate var user: UserID? { userIdentity.userRecordID.map { UserID($0.recordName) } }

    /// Whether the class can be archived securely: yes.
    public class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedBlockedIdentity.self }
    #endif

    /// Restores an identity from an archive.
    public required init?(coder: NSCoder) {
      guard let identity = coder.object(CKUserIdentity.self, "userIdentity") else { return nil }
      userIdentity = identity
    }

    /// Archives the identity.
    public func encode(with coder: NSCoder) {
      coder.encode(userIdentity, forKey: "userIdentity")
    }

    /// Returns the identity itself: it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }
  }
}

extension CKShare {
  /// Whether somebody who has the URL and may not join can ask to. False unless set.
  ///
  /// If false, the server does not let on that there is a share at all.
  public var allowsAccessRequests: Bool {
    get { access.allowsRequests }
    set {
      access.allowsRequests = newValue
      access.isChanged = true
    }
  }

  /// Who asked for access and waits for an answer. Only the owner and administrators see it.
  public var requesters: [AccessRequester] { access.requesters }

  /// Who may neither join nor ask. Only the owner and administrators see it.
  public var blockedIdentities: [BlockedIdentity] { access.blocked }

  /// Turns requests down, once the share is saved. Those people may ask again.
  public func denyRequesters(_ requesters: [AccessRequester]) {
    requireManager("denyRequesters")
    let denied = Set(requesters.compactMap(\.user))
    access.requesters.removeAll { $0.user.map(denied.contains) ?? false }
    access.isChanged = true
  }

  /// Turns requests down for good, once the share is saved: those people may not ask again, and
  /// are no participants any more.
  public func blockRequesters(_ requesters: [AccessRequester]) {
    requireManager("blockRequesters")
    denyRequesters(requesters)
    let known = Set(access.blocked.compactMap(\.user))
    access.blocked += requesters.filter { requester in
      !(requester.user.map(known.contains) ?? true)
    }.map { BlockedIdentity($0) }
    let names = Set(requesters.compactMap { $0.userIdentity.userRecordID?.recordName })
    removePeople {
      $0.role != .owner && names.contains($0.userIdentity.userRecordID?.recordName ?? "")
    }
  }

  /// Lets people join and ask again, once the share is saved.
  public func unblockIdentities(_ blockedIdentities: [BlockedIdentity]) {
    requireManager("unblockIdentities")
    let unblocked = Set(blockedIdentities.compactMap(\.user))
    access.blocked.removeAll { $0.user.map(unblocked.contains) ?? false }
    access.isChanged = true
  }

  /// The URL by which one person, whoever comes first, takes the place of a participant made with
  /// ``Participant/oneTimeURLParticipant()``.
  ///
  /// Nil before the share was saved, for other participants, and once the place was taken.
  public func oneTimeURL(for participantID: CKShare.Participant.ID) -> URL? {
    guard let url,
      let token = participants.first(where: { $0.participantID == participantID })?
        .oneTimeToken, !token.isEmpty
    else { return nil }
    return URL(string: "\(url.absoluteString).\(token)")
  }

  /// CloudKit: anybody else gets an exception (CKShare page).
  private func requireManager(_ call: String) {
    let role = currentUserParticipant?.role
    precondition(
      role == .owner || role == .administrator,
      "\(call) is for the share's owner and administrators")
  }
}
