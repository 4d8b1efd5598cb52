// What others call says what it does: each function and type that is `package` or `public`, and each requirement of
// such a protocol, has a `///` comment. What implements a documented requirement needs none: the protocol has it.

import Testing

@Suite struct DocumentationTidy {
  /// Required by protocols of Swift and of packages, whose pages say what they do.
  static let requiredElsewhere: Set<String> = [
    "==", "<", "encode", "hash", "makeAsyncIterator", "makeIterator", "provideScope", "makeCounter",
    "makeMeter", "makeRecorder", "makeTimer", "destroyCounter", "destroyMeter", "destroyRecorder",
    "destroyTimer",
  ]

  private static func undocumented(in files: [DeclaringFile]) -> [String] {
    var known: Set<String> = []
    for file in files {
      for found in file.declarations where found.isRequirement && found.isDocumented {
        known.insert(found.name)
      }
    }
    return files.flatMap { file in
      file.declarations.filter { found in
        if found.isDocumented || !found.needsComment { return false }
        let plain = String(found.name.prefix(while: { $0 != "(" }))
        return found.isRequirement
          || !known.contains(found.name) && !requiredElsewhere.contains(plain)
      }.map { "\(file.path):\($0.line): \($0.name)" }
    }
  }

  @Test func `what others call says what it does`() throws {
    let files = try DeclaringFile.all()
    let count = files.reduce(0) { $0 + $1.declarations.count }
    #expect(count > 2000, "hardly any declaration was found: can this test still read them?")
    let found = Self.undocumented(in: files)
    #expect(
      found.isEmpty,
      "say with '///' what it does, units, errors:\n\(found.joined(separator: "\n"))")
  }

  @Test func `what nobody documented is found`() {
    let text = """
      /// A port.
      package protocol Port {
        /// Opens it.
        func open(_ name: String, at time: Int) throws
        func close()
        // A comment of this kind is for who reads the file.
        var size: Int { get }
      }

      package struct Harbour: Port {
        package func open(
          _ name: String,
          at moment: Int
        ) throws { own() }
        package func close() {}
        /// How large it is.
        @discardableResult
        package static func measured<Unit>(in unit: Unit) -> Int { 0 }
        package func enter(_ list: [(Int, Int)], from bay: () -> Int) -> Int { 0 }
        package static func == (a: Self, b: Self) -> Bool { true }
        package let size = 1
        func own() {}
      }

      /// A bay.
      @available(
        *, deprecated,
        message: "no ship comes"
      )
      public final class Bay {
        public enum Kind { case wide }
      }
      """
    #expect(
      Self.undocumented(in: [DeclaringFile(path: "Port.swift", text: text)]) == [
        "Port.swift:5: close()", "Port.swift:7: size", "Port.swift:10: Harbour",
        "Port.swift:15: close()", "Port.swift:19: enter(_:from:)", "Port.swift:31: Kind",
      ])
  }
}
