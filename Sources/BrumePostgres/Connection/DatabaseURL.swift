// The URL of a database, read before anybody connects: a wrong one is the operator's, and no server can mend it.

import BrumeStorage
import CPostgres

/// A text that libpq reads as the address of a database.
package struct DatabaseURL: Sendable {
  let text: String
  /// A list, or nothing: then it is this machine.
  let hosts: [Substring]

  /// What is wrong with a text that should be one. It never holds the text, which may hold a password. Nil: nothing
  /// is, or nobody can say, because libpq is not on this machine.
  package static func fault(in text: String) -> String? {
    guard brume_postgres_problem() == nil else { return nil }
    do throws(StoreError) {
      _ = try DatabaseURL(text)
      return nil
    } catch {
      return error.description
    }
  }

  /// - Throws: `StoreError` with what is wrong.
  init(_ text: String) throws(StoreError) {
    self.text = text
    guard let options = Self.options(of: text) else {
      throw Self.error("cannot be read; it has the form postgres://user@host:port/name")
    }
    func list(_ name: String) -> [Substring] {
      options[name]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    }
    hosts = list("host") + list("hostaddr")
    // The end of a password with this sign in it, which errors would show.
    if hosts.contains(where: { $0.contains("@") }) {
      throw Self.error("has a host with '@'; in a password it is written %40")
    }
    try Self.check(list("port"), among: max(list("host").count, list("hostaddr").count))
    if let mode = options["sslmode"], !Self.modes.contains(mode) {
      throw Self.error("has an sslmode that is none of \(Self.modes.joined(separator: ", "))")
    }
  }

  /// What is no number may be the beginning of a password.
  private static func check(_ ports: [Substring], among hosts: Int) throws(StoreError) {
    for port in ports where !port.isEmpty {
      guard let number = Int(port), (1...65_535).contains(number) else {
        throw error("has a port that is no number up to 65535; '/' in a password is written %2F")
      }
    }
    guard ports.count <= 1 || ports.count == hosts else {
      throw error("has \(ports.count) ports and \(hosts) hosts; give each host its own, or all one")
    }
  }

  private static func error(_ what: String) -> StoreError {
    StoreError(.unavailable, "the URL of the database \(what)")
  }

  private static let modes = [
    "disable", "allow", "prefer", "require", "verify-ca", "verify-full",
  ]

  /// What the text says; nil: libpq cannot read it.
  private static func options(of text: String) -> [String: String]? {
    guard let options = PQconninfoParse(text, nil) else { return nil }
    defer { PQconninfoFree(options) }
    var found: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        found[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    return found
  }
}
