// `scripts/prepare`, which `make` begins with, on a machine that lacks something: it says what, or installs it.

#if os(Linux)
  import Foundation
  import Testing

  @Suite struct PrepareTidy {
    private static let programs = ["bash", "cat", "grep", "head", "sort", "python3"]

    @Test(arguments: [
      (user: "1000", status: Int32(1), said: "These system packages are missing: pkg-config"),
      (user: "0", status: 0, said: "installing pkg-config"),
    ])
    func `a library that is missing is named, or installed by who may`(
      user: String, status: Int32, said: String
    ) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "prepare-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try Self.makePrograms(in: folder, user: user)
      let (ended, words) = try Self.prepare(path: folder.path)
      #expect(ended == status, "\(words)")
      #expect(words.contains(said))
    }

    /// A machine with a compiler and without pkg-config, whose installer does nothing.
    private static func makePrograms(in folder: URL, user: String) throws {
      for (name, line) in [
        ("swift", "echo Swift version 6.2"), ("uname", "echo Linux"), ("id", "echo \(user)"),
        ("apt-get", "exit 0"), ("sudo", "exit 1"),
      ] {
        let file = folder.appending(path: name)
        try Data("#!/bin/sh\n\(line)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
      }
      for name in programs {
        let real = ["/usr/bin/\(name)", "/bin/\(name)"].first {
          FileManager.default.fileExists(atPath: $0)
        }
        guard let real else { continue }
        try FileManager.default.createSymbolicLink(
          atPath: folder.appending(path: name).path, withDestinationPath: real)
      }
    }

    private static func prepare(path: String) throws -> (status: Int32, words: String) {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/bash")
      process.arguments = [Tidy.root.appending(path: "scripts/prepare").path]
      process.environment = ["PATH": path]
      let said = Pipe()
      process.standardError = said
      try process.run()
      let words = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, words)
    }
  }
#endif
