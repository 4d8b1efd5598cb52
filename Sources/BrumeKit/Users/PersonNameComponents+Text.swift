// The name of a participant as a text. Foundation on Linux cannot write names.

#if !canImport(ObjectiveC)
  public import Foundation

  extension PersonNameComponents {
    /// The given and the family name, in this order in every language; with neither of them, the
    /// nickname. Apple's Foundation chooses the order by the language of the name.
    public func formatted() -> String {
      let names = [givenName, familyName].compactMap { $0 }.filter { !$0.isEmpty }
      return names.isEmpty ? nickname ?? "" : names.joined(separator: " ")
    }
  }
#endif
