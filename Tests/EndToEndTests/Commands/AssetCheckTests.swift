// What `brume doctor` says of the files of a server.

import BrumeModel
import BrumeWire
import Testing

@testable import brume

@Suite struct AssetCheckTests {
  private static let most = Limits.apple.assetCheckNames

  private static func answer(missing: Int, unknown: Int) -> JSON {
    [
      "files": 2000, "objects": 2000,
      "missing": .array((0..<missing).map { .string("c\($0)") }),
      "unknown": .array((0..<unknown).map { .string("o\($0)") }),
      "hasMetDamage": false,
    ]
  }

  @Test func `as many missing files as a server names may be more, and doctor says so`() throws {
    let most = Self.most
    for (missing, words) in [(most - 1, "999 files have"), (most, "1000 or more files have")] {
      let error = #expect(throws: CommandFailure.self) {
        _ = try DoctorCommand.assets(in: Self.answer(missing: missing, unknown: 0))
      }
      #expect(error?.description.hasPrefix(words) == true)
    }
  }

  @Test func `as many objects without a file as a server names may be more too`() throws {
    let most = Self.most
    for (unknown, words) in [(most - 1, "; 999 objects"), (most, "; 1000 or more objects")] {
      let text = try DoctorCommand.assets(in: Self.answer(missing: 0, unknown: unknown))
      #expect(text.hasPrefix("2000 files, all there\(words)"))
    }
  }
}
