// Finding users by what is known of them.

import BrumeClient
import BrumeModel
import Foundation

/// An operation that finds users by address, phone number or user record.
///
/// Who is not found is left out. Apple deprecated it in favour of sharing. Source: Apple's
/// `CKDiscoverUserIdentitiesOperation` header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
@available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  /// Whom to look for.
  open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []
  /// Called once for each user who was found.
  open var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
  /// Called once, last.
  open var discoverUserIdentitiesResultBlock:
    ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``discoverUserIdentitiesResultBlock``.
  open var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.init()
    self.userIdentityLookupInfos = userIdentityLookupInfos
  }

  override func perform() async throws {
    let infos = userIdentityLookupInfos
    try CKError.checkCount(infos.count)
    let container = effectiveContainer
    let viewpoint = try await viewpoint(of: container.publicCloudDatabase)
    for part in infos.pieces(of: Limits.apple.recordsPerResponse) {
      let wanted = part.map(\.model)
      let found = try await request(from: viewpoint) {
        try await container.session.discoverUsers(wanted)
      }
      try await report(each: part) { info in
        guard let identity = info.match(in: found, from: viewpoint) else { return }
        self.userIdentityDiscoveredBlock?(identity, info)
      }
    }
  }

  override func complete(_ failure: CKError?) {
    discoverUserIdentitiesResultBlock?(CKError.result(failure))
    discoverUserIdentitiesCompletionBlock?(failure)
  }
}

/// An operation that finds the people one knows.
///
/// Apple's looks for the people of the device's address book. There is none here, so it finds those that
/// the server knows the current user with: who shares with them, and with whom they share, as far as they
/// let themselves be found. Source: Apple's `CKDiscoverAllUserIdentitiesOperation` header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
@available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  /// Called once for each user who was found.
  open var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
  /// Called once, last.
  open var discoverAllUserIdentitiesResultBlock:
    ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``discoverAllUserIdentitiesResultBlock``.
  open var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  override func perform() async throws {
    let container = effectiveContainer
    let viewpoint = try await viewpoint(of: container.publicCloudDatabase)
    let found = try await request(from: viewpoint) {
      try await container.session.discoverContacts()
    }
    try await report(each: found) { identity in
      let name = identity.user?.name
      self.userIdentityDiscoveredBlock?(CKUserIdentity(identity, recordName: name))
    }
  }

  override func complete(_ failure: CKError?) {
    discoverAllUserIdentitiesResultBlock?(CKError.result(failure))
    discoverAllUserIdentitiesCompletionBlock?(failure)
  }
}

extension CKUserIdentity.LookupInfo {
  /// Whom to look for, in the model's words.
  var model: UserIdentity {
    UserIdentity(
      user: userRecordID.map { UserID($0.recordName) }, emailAddress: emailAddress,
      phoneNumber: phoneNumber)
  }

  /// The one of the server's answers that this asked for.
  func match(in found: [UserIdentity], from viewpoint: Viewpoint) -> CKUserIdentity? {
    let answer = found.first { identity in
      if let emailAddress {
        return identity.emailAddress.map { EmailAddress.isSame($0, emailAddress) } ?? false
      }
      if let phoneNumber { return identity.phoneNumber == phoneNumber }
      guard let name = userRecordID?.recordName, let user = identity.user else { return false }
      return user.name == name
        || (UserID.aliases.contains(name) && user.name == viewpoint.me)
    }
    guard let answer, let user = answer.user else { return nil }
    return CKUserIdentity(
      lookupInfo: self,
      nameComponents: PersonNameComponents(given: answer.givenName, family: answer.familyName),
      userRecordID: CKRecord.ID(recordName: user.name))
  }
}
