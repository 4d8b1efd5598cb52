import Foundation
import Testing

@testable import BrumeKit

@Suite struct NameTextTests {
  private func name(_ given: String?, _ family: String?) -> PersonNameComponents {
    var name = PersonNameComponents()
    name.givenName = given
    name.familyName = family
    return name
  }

  @Test func `a name is written in every style`() {
    var full = name("Thomas", "Clark")
    full.namePrefix = "Dr."
    full.middleName = "Louis"
    full.nameSuffix = "Esq."
    full.nickname = "Tom"
    #expect(full.formatted() == "Thomas Clark")
    #expect(full.formatted(.name(style: .short)) == "Tom")
    #expect(full.formatted(.name(style: .medium)) == "Thomas Clark")
    #expect(full.formatted(.name(style: .long)) == "Dr. Thomas Louis Clark Esq.")
    #expect(full.formatted(.name(style: .abbreviated)) == "TC")
    let style = PersonNameComponents.FormatStyle(style: .long)
    #expect(style.locale(Locale(identifier: "ja")).format(full) == "Dr. Thomas Louis Clark Esq.")
    full.nickname = ""
    #expect(full.formatted(.name(style: .short)) == "Thomas")
  }

  @Test(arguments: [PersonNameComponents.FormatStyle.Style.short, .medium, .long])
  func `with a nickname only, every style but the initials is the nickname`(
    _ style: PersonNameComponents.FormatStyle.Style
  ) {
    var name = PersonNameComponents()
    name.nickname = "al"
    #expect(name.formatted(.name(style: style)) == "al")
    #expect(name.formatted(.name(style: .abbreviated)) == "A")
    name.nickname = nil
    #expect(name.formatted(.name(style: style)) == "")
    #expect(name.formatted(.name(style: .abbreviated)) == "")
  }

  @Test func `in East Asian writing the family name comes first`() {
    let name = name("太郎", "山田")
    #expect(name.formatted() == "山田太郎")
    #expect(name.formatted(.name(style: .abbreviated)) == "山田")
    #expect(self.name("Tarō", "山田").formatted() == "Tarō 山田")
  }
}
