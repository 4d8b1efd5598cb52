// The name of a participant as a text. Foundation on Linux cannot write names.
//
// One rule for all languages: the given name comes first, but in Chinese, Japanese and Korean writing
// the family name does, without a space. Apple's Foundation also asks the language of the device and
// its settings.

#if !canImport(ObjectiveC)
  public import Foundation

  extension PersonNameComponents {
    /// The given and the family name; with neither of them, the nickname.
    public func formatted() -> String { text(.medium) }

    /// The name in a style, such as `.name(style: .abbreviated)`.
    public func formatted<Style: Foundation.FormatStyle>(_ style: Style) -> Style.FormatOutput
    where Style.FormatInput == PersonNameComponents {
      style.format(self)
    }

    /// How a name becomes a text.
    public struct FormatStyle: Foundation.FormatStyle {
      /// How much of a name is written.
      public enum Style: Int, Codable, Hashable, Sendable {
        /// The nickname, or else the given name.
        case short = 1
        /// The given and the family name.
        case medium = 2
        /// Everything but the nickname.
        case long = 3
        /// The initials of the given and the family name.
        case abbreviated = 4
      }

      /// How much of a name is written.
      public var style: Style
      /// Kept, without effect here.
      public var locale: Locale

      /// Creates a style.
      public init(style: Style = .medium, locale: Locale = .autoupdatingCurrent) {
        self.style = style
        self.locale = locale
      }

      /// The name as a text.
      public func format(_ value: PersonNameComponents) -> String { value.text(style) }

      /// The same style for another language.
      public func locale(_ locale: Locale) -> Self { Self(style: style, locale: locale) }
    }

    func text(_ style: FormatStyle.Style) -> String {
      let medium = joined([givenName, familyName])
      return switch style {
      case .short: nickname.filled ?? givenName.filled ?? medium
      case .medium: medium.isEmpty ? nickname ?? "" : medium
      case .long: long.isEmpty ? nickname ?? "" : long
      case .abbreviated: initials(of: medium.isEmpty ? [nickname] : [givenName, familyName])
      }
    }

    private var long: String {
      isFamilyFirst
        ? joined([givenName, familyName])
        : joined([namePrefix, givenName, middleName, familyName, nameSuffix])
    }

    /// Chinese and Japanese names are too short for initials: there the family name stands for all.
    private func initials(of names: [String?]) -> String {
      isFamilyFirst
        ? familyName.filled ?? givenName ?? ""
        : names.compactMap { $0?.first.map(String.init) }.joined().uppercased()
    }

    private func joined(_ names: [String?]) -> String {
      let names = names.compactMap(\.filled)
      return isFamilyFirst ? names.reversed().joined() : names.joined(separator: " ")
    }

    private var isFamilyFirst: Bool {
      let letters = [givenName, familyName].compactMap(\.filled).joined().unicodeScalars
      return !letters.isEmpty && letters.allSatisfy(\.isEastAsian)
    }
  }

  extension Foundation.FormatStyle where Self == PersonNameComponents.FormatStyle {
    /// Writes a name.
    public static func name(style: PersonNameComponents.FormatStyle.Style) -> Self {
      PersonNameComponents.FormatStyle(style: style)
    }
  }

  extension String? {
    fileprivate var filled: String? { flatMap { $0.isEmpty ? nil : $0 } }
  }

  extension Unicode.Scalar {
    /// Kana, Chinese characters and Hangul.
    fileprivate var isEastAsian: Bool {
      switch value {
      case 0x3005...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF: true
      default: false
      }
    }
  }
#endif
