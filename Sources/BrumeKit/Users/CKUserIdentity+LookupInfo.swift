// How to look for somebody: an address, a number, or a user record.

public import Foundation

extension CKUserIdentity {
  /// How to look for somebody: by an e-mail address, a phone number or a user record.
  ///
  /// Source: Apple's `CKUserIdentity.LookupInfo` page.
  // Sendable because it never changes.
  public final class LookupInfo: NSObject, NSSecureCoding, NSCopying,
    @unchecked Sendable
  {
    /// The e-mail address, if that is how.
    public let emailAddress: String?
    /// The phone number, if that is how.
    public let phoneNumber: String?
    /// The user record, if that is how.
    public let userRecordID: CKRecord.ID?

    private init(email: String?, phone: String?, record: CKRecord.ID?) {
      self.emailAddress = email
      self.phoneNumber = phone
      self.userRecordID = record
    }

    /// Looks for an e-mail address.
    public convenience init(emailAddress: String) {
      self.init(email: emailAddress, phone: nil, record: nil)
    }

    /// Looks for a phone number.
    public convenience init(phoneNumber: String) {
      self.init(email: nil, phone: phoneNumber, record: nil)
    }

    /// Looks for a user record.
    public convenience init(userRecordID: CKRecord.ID) {
      self.init(email: nil, phone: nil, record: userRecordID)
    }

    /// Looks for something: use one of the others.
    @available(*, unavailable, message: "Say what to look for.")
    public override convenience init() {
      self.init(email: nil, phone: nil, record: nil)
    }

    /// One for each e-mail address.
    public class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentity.LookupInfo] {
      emails.map { CKUserIdentity.LookupInfo(emailAddress: $0) }
    }

    /// One for each phone number.
    public class func lookupInfos(
      withPhoneNumbers phoneNumbers: [String]
    ) -> [CKUserIdentity.LookupInfo] {
      phoneNumbers.map { CKUserIdentity.LookupInfo(phoneNumber: $0) }
    }

    /// One for each user record.
    public class func lookupInfos(with recordIDs: [CKRecord.ID]) -> [CKUserIdentity.LookupInfo] {
      recordIDs.map { CKUserIdentity.LookupInfo(userRecordID: $0) }
    }

    // MARK: Copying and coding

    /// Whether the class can be archived securely: yes.
    public class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedLookupInfo.self }
    #endif

    /// Restores the information from an archive.
    public required init?(coder: NSCoder) {
      emailAddress = coder.text("emailAddress")
      phoneNumber = coder.text("phoneNumber")
      userRecordID = coder.object(CKRecord.ID.self, "userRecordID")
    }

    /// Archives the information.
    public func encode(with coder: NSCoder) {
      coder.encodeText(emailAddress, "emailAddress")
      coder.encodeText(phoneNumber, "phoneNumber")
      coder.encode(userRecordID, forKey: "userRecordID")
    }

    /// Returns the information itself: it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// A text for logs and debuggers.
    public override var description: String {
      let key = emailAddress ?? phoneNumber ?? userRecordID?.recordName ?? "nothing"
      return "<CKUserIdentityLookupInfo: \(key)>"
    }

    /// Whether two look for the same.
    public override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? CKUserIdentity.LookupInfo else { return false }
      return other.emailAddress == emailAddress && other.phoneNumber == phoneNumber
        && other.userRecordID == userRecordID
    }

    /// A hash that agrees with ``isEqual(_:)``.
    public override var hash: Int {
      var hasher = Hasher()
      hasher.combine(emailAddress)
      hasher.combine(phoneNumber)
      hasher.combine(userRecordID)
      return hasher.finalize()
    }
  }
}
