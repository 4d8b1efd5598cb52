// What commands print when it cannot be written, and what they print of several things.

import BrumeWire
import Foundation
import Testing

@Suite struct OutputTests {
  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `an output that the disk has no room for ends with 74`() async throws {
    for command in ["version", "manual", "config show"] {
      let outcome = try await Tool.shell("\"$0\" \(command) >/dev/full")
      outcome.expect(74, "the output cannot be written (No space left on device)")
    }
    // What nobody reads needs no room.
    try await Tool.shell("\"$0\" manual | head -n 1").expect(0)
  }

  @Test func `of several zones those that were made are said, and each that was refused`()
    async throws
  {
    try await Shell.serving { brume in
      let names = ["A", "bad name/é", "B", "worse/é"]
      let made = try await brume(["zones", "create"] + names + ["--user", "alice", "--json"])
      made.expect(1, "made A, B", "Error: bad name/é: ", "\nworse/é: ")
      let zones = try JSON(parsing: Array(made.output.utf8))["zones"]?.array
      #expect(zones?.map { $0["zoneID"]?["zoneName"]?.string } == ["A", "B"], "\(made.output)")
      let many = (0..<201).map { "z\($0)" }
      try await brume(["zones", "create"] + many + ["--user", "alice"]).expect(0, "z199, z200")
      try await brume(["zones", "delete"] + many + ["--user", "alice"]).expect(0, "z199, z200")
    }
  }

  @Test func `a number is one that is written back the same`() async throws {
    try await Shell.serving { brume in
      let texts = ["a=00123", "b=+49123", "c=0x1F", "d=1e3", "e=\"5\"", "f=12345678901234567890"]
      let set = (texts + ["i=-3", "j=0.5"]).flatMap { ["--set", $0] }
      let made = try await brume(["records", "create", "Note", "--user", "alice"] + set)
      made.expect(0)
      let fields = try JSON(parsing: Array(made.output.utf8))["fields"]
      let values = ["a", "b", "c", "d", "e", "f"].map { fields?[$0]?["value"]?.string }
      #expect(values == ["00123", "+49123", "0x1F", "1e3", "5", "12345678901234567890"])
      #expect(fields?["i"]?["value"] == -3 && fields?["j"]?["value"] == 0.5, "\(made.output)")
    }
  }

  @Test func `a value without --set does not become the name of an empty record`() async throws {
    try await Shell.serving { brume in
      let create = ["records", "create", "Note", "title=Hello", "--user", "alice"]
      let refused = try await brume(create)
      #expect(refused.status == 64 && refused.talk.contains("write --set"), "\(refused.talk)")
      let meant = try await brume(create + ["--fields", "{}"])
      #expect(meant.status == 0 && meant.output.contains("title=Hello"), "\(meant.talk)")
    }
  }

  @Test func `a user who has nothing is deleted with a report`() async throws {
    try await Shell.serving { brume in
      try await brume("user", "create", "eve").expect(0)
      for more in [["--dry-run"], []] {
        let outcome = try await brume(["user", "delete", "eve", "--json"] + more)
        outcome.expect(0)
        let report = try JSON(parsing: Array(outcome.output.utf8))
        #expect(report["containers"]?.array?.isEmpty == true, "\(outcome.output)")
      }
    }
  }

  @Test func `records beyond the limit are said to be there`() async throws {
    try await Shell.serving { brume in
      for name in ["a", "b"] {
        try await brume("records", "create", "Note", name, "--user", "alice").expect(0)
      }
      let one = try await brume("records", "query", "Note", "--user", "alice", "--limit", "1")
      one.expect(0, "there may be more: --limit N")
      let all = try await brume("records", "query", "Note", "--user", "alice")
      #expect(all.status == 0 && all.talk.isEmpty, "\(all.talk)")
    }
  }
}
