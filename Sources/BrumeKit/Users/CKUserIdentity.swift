// Who somebody is, as far as others may know.

import BrumeModel
public import Foundation

/// Somebody who uses the container, or an address that may belong to one.
///
/// Source: Apple's `CKUserIdentity` page.
// Sendable because it never changes.
open class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// How the identity was looked for; nil if it was not.
  open var lookupInfo: LookupInfo? { known.lookup }
  /// The name, if the user lets others see it.
  open var nameComponents: PersonNameComponents? { known.name }
  /// The user's record; nil for an address that belongs to nobody yet.
  open var userRecordID: CKRecord.ID? { known.record }
  /// Always empty here: there is no address book to match with.
  @available(*, deprecated, message: "There is nothing to match with.")
  open var contactIdentifiers: [String] { [] }
  /// Whether an account is known for this identity.
  open var hasiCloudAccount: Bool { userRecordID != nil }

  private let known: (lookup: LookupInfo?, name: PersonNameComponents?, record: CKRecord.ID?)

  init(
    lookupInfo: LookupInfo?, nameComponents: PersonNameComponents? = nil,
    userRecordID: CKRecord.ID?
  ) {
    known = (lookupInfo, nameComponents, userRecordID)
  }

  /// Identities come from the server.
  @available(*, unavailable, message: "Identities come from the server.")
  public override convenience init() {
    self.init(lookupInfo: nil, userRecordID: nil)
  }

  // MARK: Copying and coding

  /// Whether the class can be archived securely: yes.
  open class var supportsSecureCoding: Bool { true }

  /// Restores an identity from an archive.
  public required init?(coder: NSCoder) {
    known = (
      coder.object(CKUserIdentity.LookupInfo.self, "lookupInfo")
        ?? coder.object(CKUserIdentity.LookupInfo.self, "LookupInfo"),
      PersonNameComponents(given: coder.text("givenName"), family: coder.text("familyName")),
      coder.object(CKRecord.ID.self, "userRecordID")
        ?? coder.object(CKRecord.ID.self, "UserRecordID")
    )
  }

  /// Archives the identity.
  open func encode(with coder: NSCoder) {
    coder.encode(lookupInfo, forKey: "lookupInfo")
    coder.encode(userRecordID, forKey: "userRecordID")
    coder.encodeText(nameComponents?.givenName, "givenName")
    coder.encodeText(nameComponents?.familyName, "familyName")
  }

  /// Returns the identity itself: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A text for logs and debuggers.
  open override var description: String {
    "<CKUserIdentity: userRecordID=\(userRecordID?.recordName ?? "none")>"
  }
}

extension CKUserIdentity {
  /// An identity as the server returns it. `recordName` is how the viewer sees the user.
  convenience init(_ identity: UserIdentity, recordName: String?) {
    let lookup: LookupInfo? =
      identity.emailAddress.map { LookupInfo(emailAddress: $0) }
      ?? identity.phoneNumber.map { LookupInfo(phoneNumber: $0) }
      ?? recordName.map { LookupInfo(userRecordID: CKRecord.ID(recordName: $0)) }
    self.init(
      lookupInfo: lookup,
      nameComponents: PersonNameComponents(
        given: identity.givenName, family: identity.familyName),
      userRecordID: recordName.map { CKRecord.ID(recordName: $0) })
  }

  /// The identity in the model's words.
  var model: UserIdentity {
    UserIdentity(
      user: (userRecordID ?? lookupInfo?.userRecordID).map { UserID($0.recordName) },
      givenName: nameComponents?.givenName, familyName: nameComponents?.familyName,
      emailAddress: lookupInfo?.emailAddress, phoneNumber: lookupInfo?.phoneNumber)
  }
}

extension PersonNameComponents {
  /// Nil if there is neither part.
  init?(given: String?, family: String?) {
    guard given != nil || family != nil else { return nil }
    self.init()
    givenName = given
    familyName = family
  }
}
