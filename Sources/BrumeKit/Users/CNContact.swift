// Contacts' person, where the system has none. Only what a request for access can say of somebody.

#if canImport(Darwin) && canImport(Contacts)
  import Contacts
#else
  public import Foundation

  /// A person of an address book: here only a name.
  // Sendable because it never changes.
  public class CNContact: NSObject, @unchecked Sendable {
    /// Identifies the contact: here the name of the user's record.
    public let identifier: String
    /// The given name; empty if unknown.
    public let givenName: String
    /// The family name; empty if unknown.
    public let familyName: String

    init(identifier: String, givenName: String, familyName: String) {
      self.identifier = identifier
      self.givenName = givenName
      self.familyName = familyName
    }
  }
#endif

extension CNContact {
  /// A user as a contact.
  static func person(_ identity: CKUserIdentity) -> CNContact {
    #if canImport(Darwin) && canImport(Contacts)
      let contact = CNMutableContact()
      contact.givenName = identity.nameComponents?.givenName ?? ""
      contact.familyName = identity.nameComponents?.familyName ?? ""
      return contact
    #else
      return CNContact(
        identifier: identity.userRecordID?.recordName ?? "",
        givenName: identity.nameComponents?.givenName ?? "",
        familyName: identity.nameComponents?.familyName ?? "")
    #endif
  }
}
