// What commands say of a database that cannot be used, and how they end.

import Testing

@Suite struct DatabaseCommandTests {
  @Test(arguments: [
    "postgres://brume:secret@[nonsense", "postgres://brume:a@secret@127.0.0.1/x",
    "postgres://brume@127.0.0.1/x?secret=1", "postgres://brume@127.0.0.1:secret/x",
    "postgres://brume:secret/hidden@127.0.0.1/x", "postgres://127.0.0.1:1,127.0.0.1:99999/secret",
    "postgres://127.0.0.1:1,127.0.0.1:2,127.0.0.1/secret?port=1,2",
    "postgres://brume@127.0.0.1/x?sslmode=secret",
  ])
  func `a URL of a database that cannot be read is a wrong value, and is not shown:`(url: String)
    async throws
  {
    try await Tool.withFolder { folder in
      for (flag, command) in [
        ("--store", ["serve", "--store", url]), ("--store", ["config", "show", "--store", url]),
        ("--to", ["migrate", "--from", "sqlite", "--to", url]),
      ] {
        let data = command[0] == "config" ? [] : ["--data", folder]
        let outcome = try await Tool.run(command + data)
        #expect(outcome.status == 64, "\(command[0]): \(outcome.talk)")
        #expect(outcome.talk.contains("Error: \(flag): the URL of the database"))
        #expect(!outcome.talk.contains("secret") && !outcome.talk.contains("hidden"))
      }
    }
  }
}
