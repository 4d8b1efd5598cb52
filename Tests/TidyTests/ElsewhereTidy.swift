// What our modules mean for packages that have nothing to do with us: SwiftPM builds all modules of a
// package graph into one folder, so a target finds `CoreLocation` there whether or not it depends on it.

#if os(Linux)
  import Foundation
  import Testing

  struct ElsewhereTidy {
    /// Where SwiftPM put the modules of the build that is being tested.
    private var modules: URL {
      URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "Modules")
    }

    @Test func `who does not depend on Core Location may still import it`() throws {
      let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "SourceCompatibility/Elsewhere/Bystander.swift")
      let compiler = Process()
      compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      compiler.arguments = ["swiftc", "-typecheck", "-I", modules.path, source.path]
      let errors = Pipe()
      compiler.standardError = errors
      try compiler.run()
      let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      compiler.waitUntilExit()
      #expect(compiler.terminationStatus == 0, "\(text)")
    }
  }
#endif
