// What others call and what may throw says which errors: in its own comment, in the error's type, in the comment of the
// type that it is in, or in that of the requirement that it implements. And a time that is a plain number says its unit.

import Testing

@Suite struct ErrorsTidy {
  private static let elsewhere = DocumentationTidy.requiredElsewhere.union(["init(from:)"])

  private static func silent(in files: [DeclaringFile]) -> [String] {
    let requirements = Set(
      files.flatMap(\.declarations).filter { $0.isRequirement && $0.isDocumented }.map(\.name))
    let types = files.reduce(into: [String: String]()) {
      $0.merge($1.typeComments, uniquingKeysWith: +)
    }
    return files.flatMap { file in
      file.declarations.filter { found in
        guard found.throwing == .anything, !saysErrors(found.comment) else { return false }
        let isSaid = found.outer.contains { outer in
          (outer.comment + (types[outer.name] ?? "")).contains(/(?i)throw/)
        }
        let plain = String(found.name.prefix { $0 != "(" })
        let isElsewhere = elsewhere.contains(plain) || elsewhere.contains(found.name)
        let implements =
          !found.isDocumented && !found.isRequirement && requirements.contains(found.name)
        return !isSaid && !isElsewhere && !implements
      }.map { "\(file.path):\($0.line): \($0.name)" }
    }
  }

  private static func saysErrors(_ comment: String) -> Bool {
    comment.contains(/(?i)throw|error|\bfail|refus/)
  }

  private static func withoutUnit(in files: [DeclaringFile]) -> [String] {
    files.flatMap { file in
      file.declarations.flatMap { found in
        found.parameters.filter { lacksUnit($0.name, $0.type, found) }.map {
          "\(file.path):\(found.line): \(found.name), \($0.name)"
        }
      }
    }
  }

  /// `Milliseconds` and `Duration` say it themselves, and what makes a value has the comment of the value's property.
  private static func lacksUnit(
    _ name: String, _ type: String, _ found: DeclaringFile.Declaration
  ) -> Bool {
    let time = /(?i)timeout|interval|duration|delay|pause|period|lifetime|expire|ttl|deadline/
    let unit = /(?i)second|minute|hour|days|1970/
    if found.name.hasPrefix("init("), !found.isDocumented { return false }
    return ["Int", "Int64", "UInt64", "Double", "Int?", "Int64?", "Double?"].contains(type)
      && name.contains(time) && !(name + found.comment).contains(unit)
  }

  @Test func `what throws says what`() throws {
    let files = try DeclaringFile.all()
    let throwing = files.flatMap(\.declarations).filter { $0.throwing != nil }
    #expect(throwing.count > 500, "hardly anything throws: can this test still read it?")
    let found = Self.silent(in: files)
    #expect(
      found.isEmpty, "say in '- Throws:' which errors, and when:\n\(found.joined(separator: "\n"))")
  }

  @Test func `a time that is a plain number says its unit`() throws {
    let found = Self.withoutUnit(in: try DeclaringFile.all())
    #expect(
      found.isEmpty,
      "name the unit, or take Milliseconds or a Duration:\n\(found.joined(separator: "\n"))")
  }

  @Test func `what throws in silence, and a time without a unit, are found`() {
    let text = """
      /// A port.
      package protocol Port {
        /// Opens it.
        func open(_ name: String) throws
        /// Closes it.
        func close() throws(Stuck)
        /// Its depth; it fails at night.
        var depth: Int { get throws }
        /// Its width.
        var width: Int { get async throws }
      }

      package struct Harbour: Port {
        package func open(_ name: String) throws {}
        package init(
          _ ships: () throws -> Int
        ) throws { own() }
        /// - Throws: `Stuck` at low water.
        package func enter() async throws {}
        /// Never throws itself.
        package func pass(_ ship: () throws -> Void) {}
        /// Waits.
        package func wait(timeout: Int, interval: Double = 1, lifetimeSeconds: Int, pause: Milliseconds) {}
        /// - Parameter delay: in minutes.
        package init?(delay: Int) {}
        func own() throws {}
      }

      /// Each call throws `Stuck`.
      package enum Bay {
        package static func leave() throws {}
      }
      extension Bay {
        package static func stay() throws {}
      }
      """
    let files = [DeclaringFile(path: "Port.swift", text: text)]
    #expect(
      Self.silent(in: files) == [
        "Port.swift:4: open(_:)", "Port.swift:10: width", "Port.swift:15: init(_:)",
      ])
    #expect(
      Self.withoutUnit(in: files) == [
        "Port.swift:23: wait(timeout:interval:lifetimeSeconds:pause:), timeout",
        "Port.swift:23: wait(timeout:interval:lifetimeSeconds:pause:), interval",
      ])
  }
}
