// Schema → text, in one order only: equal schemas give equal texts, and parsing the text gives the
// schema again. System fields are printed too, because leaving one out would drop its index.

import BrumeModel

extension Schema {
  /// The schema as text, with a line feed at the end.
  package func text() -> String {
    var text = "DEFINE SCHEMA\n"
    for role in roles.sorted() {
      text += "\n    CREATE ROLE \(Self.quoted(role));\n"
    }
    for (name, type) in recordTypes.sorted(by: { $0.key < $1.key }) {
      let members = (Self.lines(type.fields) + Self.lines(type.grants))
        .map { "        " + $0 }.joined(separator: ",\n")
      text += "\n    RECORD TYPE \(Self.quoted(name)) (\n\(members)\n    );\n"
    }
    return text
  }

  /// System fields first; names in a column, types in another.
  private static func lines(_ fields: [String: Field]) -> [String] {
    let names = fields.keys.sorted { a, b in
      let systems = (a.hasPrefix("_"), b.hasPrefix("_"))
      return systems.0 == systems.1 ? a < b : systems.0
    }
    let width = names.map { quoted($0).utf8.count }.max() ?? 0
    return names.compactMap { name in
      fields[name].map { field in
        let name = quoted(name)
        return name + String(repeating: " ", count: width - name.utf8.count + 1) + text(of: field)
      }
    }
  }

  /// A field's type and indexes as they stand after its name.
  package static func text(of field: Field) -> String {
    var type = text(of: field.type.element)
    if field.isEncrypted { type = "ENCRYPTED " + type }
    if field.type.isList { type = "LIST<\(type)>" }
    let indexes = field.indexes.map(\.rawValue).sorted()
    return ([type] + indexes).joined(separator: " ")
  }

  /// One line a permission, as exports of the live service have them.
  private static func lines(_ grants: [Grant]) -> [String] {
    Grant.merged(grants).flatMap { grant in
      Permission.allCases.filter(grant.permissions.contains).map { permission in
        "GRANT \(permission.rawValue) TO \(quoted(grant.role))"
      }
    }
  }

  private static func quoted(_ name: String) -> String {
    let isPlain = NameRules.isIdentifier(name)
    return isPlain && !reservedWords.contains(name.uppercased()) ? name : "\"\(name)\""
  }
}
