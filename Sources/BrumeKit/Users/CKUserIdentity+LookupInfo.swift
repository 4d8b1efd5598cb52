// How to look for somebody: an address, a number, or a user record.

public import Foundation

extension CKUserIdentity {
  /// How to look for somebody: by an e-mail address, a phone number or a user record.
  ///
  /// Source: Apple's `CKUserIdentity.LookupInfo` page.
  // Sendable because it never changes.
  open class LookupInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The e-mail address, if that is how.
    open var emailAddress: String? { known.email }
    /// The phone number, if that is how.
    open var phoneNumber: String? { known.phone }
    /// The user record, if that is how.
    open var userRecordID: CKRecord.ID? { known.record }

    private let known: (email: String?, phone: String?, record: CKRecord.ID?)

    /// Looks for an e-mail address.
    public init(emailAddress: String) {
      known = (emailAddress, nil, nil)
    }

    /// Looks for a phone number.
    public init(phoneNumber: String) {
      known = (nil, phoneNumber, nil)
    }

    /// Looks for a user record.
    public init(userRecordID: CKRecord.ID) {
      known = (nil, nil, userRecordID)
    }

    /// Looks for something: use one of the others.
    @available(*, unavailable, message: "Say what to look for.")
    public override convenience init() {
      self.init(emailAddress: "")
    }

    /// One for each e-mail address.
    open class func lookupInfos(withEmails emails: [String]) -> [CKUserIdentity.LookupInfo] {
      emails.map { CKUserIdentity.LookupInfo(emailAddress: $0) }
    }

    /// One for each phone number.
    open class func lookupInfos(
      withPhoneNumbers phoneNumbers: [String]
    ) -> [CKUserIdentity.LookupInfo] {
      phoneNumbers.map { CKUserIdentity.LookupInfo(phoneNumber: $0) }
    }

    /// One for each user record.
    open class func lookupInfos(with recordIDs: [CKRecord.ID]) -> [CKUserIdentity.LookupInfo] {
      recordIDs.map { CKUserIdentity.LookupInfo(userRecordID: $0) }
    }

    // MARK: Copying and coding

    /// Whether the class can be archived securely: yes.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      open override var classForCoder: AnyClass { ArchivedLookupInfo.self }
    #endif

    /// Restores the information from an archive.
    public required init?(coder: NSCoder) {
      known = (
        coder.text("emailAddress") ?? coder.text("EmailAddress"),
        coder.text("phoneNumber") ?? coder.text("PhoneNumber"),
        coder.object(CKRecord.ID.self, "userRecordID")
          ?? coder.object(CKRecord.ID.self, AppleKey.recordID)
      )
    }

    /// Archives the information.
    open func encode(with coder: NSCoder) {
      coder.encodeText(emailAddress, "emailAddress")
      coder.encodeText(phoneNumber, "phoneNumber")
      coder.encode(userRecordID, forKey: "userRecordID")
    }

    /// Returns the information itself: it cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// A text for logs and debuggers.
    open override var description: String {
      let key = emailAddress ?? phoneNumber ?? userRecordID?.recordName ?? "nothing"
      return "<CKUserIdentityLookupInfo: \(key)>"
    }

    /// Whether two look for the same.
    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? CKUserIdentity.LookupInfo else { return false }
      return other.emailAddress == emailAddress && other.phoneNumber == phoneNumber
        && other.userRecordID == userRecordID
    }

    /// A hash that agrees with ``isEqual(_:)``.
    open override var hash: Int {
      var hasher = Hasher()
      hasher.combine(emailAddress)
      hasher.combine(phoneNumber)
      hasher.combine(userRecordID)
      return hasher.finalize()
    }
  }
}
