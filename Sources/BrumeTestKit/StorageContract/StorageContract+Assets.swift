// The rows of assets: files, holders, uploads, objects to remove.

import BrumeModel
import BrumeStorage

extension StorageContract {
  private static func file(_ checksum: String, idleSince: Milliseconds? = nil) -> AssetFile {
    AssetFile(
      checksum: checksum, object: "object\(checksum)", size: 7, digest: [1, 2, 3],
      idleSince: idleSince)
  }

  private static func asset(_ checksum: String) -> FieldValue {
    .asset(Asset(fileChecksum: checksum, size: 7))
  }

  private static func idle(_ store: any Store, limit: Int = 10) async throws -> [String] {
    try await store.read { try $0.assets.idleFiles(since: .max, limit: limit).map(\.checksum) }
  }

  static let assets: [Case] = [
    Case("files and uploads come back until they are removed") { store in
      let files = [file("a"), file("b", idleSince: 5), file("c", idleSince: 0)]
      let uploads = [
        AssetUpload(id: "u1", checksum: nil, began: 10),
        AssetUpload(id: "u2", checksum: "a", began: 11),
      ]
      try await store.write(in: .everything(of: store)) { transaction in
        for file in files.reversed() { try transaction.assets.put(file) }
        for upload in uploads.reversed() { try transaction.assets.put(upload) }
        for name in ["y", "x", "x"] { try transaction.assets.discardObject(name) }
      }
      try await store.read { transaction in
        try expectEqual(try transaction.assets.file("b"), files[1], "a file")
        try expectEqual(try transaction.assets.file("B"), nil, "another file")
        try expectEqual(
          try transaction.assets.files(after: "", limit: 2), [files[0], files[1]], "all")
        try expectEqual(try transaction.assets.files(after: "b", limit: 2), [files[2]], "page 2")
        try expectEqual(
          try transaction.assets.idleFiles(since: 5, limit: 9), [files[2], files[1]], "idle")
        try expectEqual(
          try transaction.assets.idleFiles(since: 4, limit: 9), [files[2]], "idle early")
        try expectEqual(try transaction.assets.upload("u2"), uploads[1], "an upload")
        try expectEqual(
          try transaction.assets.uploads(begunBy: 11, limit: 9), uploads, "old uploads")
        try expectEqual(
          try transaction.assets.uploads(begunBy: 10, limit: 9), [uploads[0]], "older uploads")
        try expectEqual(
          try transaction.assets.discardedObjects(after: "", limit: 9), ["x", "y"], "discards")
        try expectEqual(
          try transaction.assets.discardedObjects(after: "", limit: 1), ["x"], "discards, page 1")
        try expectEqual(
          try transaction.assets.discardedObjects(after: "x", limit: 1), ["y"], "page 2")
      }
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.assets.removeFile("b")
        try transaction.assets.removeUpload("u1")
        try transaction.assets.forgetObject("x")
      }
      try await store.read { transaction in
        try expectEqual(try transaction.assets.file("b"), nil, "a removed file")
        try expectEqual(try transaction.assets.upload("u1"), nil, "a removed upload")
        try expectEqual(
          try transaction.assets.discardedObjects(after: "", limit: 9), ["y"], "discards left")
      }
    },
    Case("a file is needed by records and by uploads, in lists too") { store in
      func isNeeded(_ checksum: String) async throws -> Bool {
        try await store.read { try $0.assets.isFileNeeded(checksum) }
      }
      try await store.write(in: .everything(of: store)) { transaction in
        for checksum in ["a", "b", "c", "d"] { try transaction.assets.put(file(checksum)) }
        try transaction.assets.put(AssetUpload(id: "u", checksum: "c", began: 1))
        try transaction.putNext("one", fields: ["photo": asset("a")])
        try transaction.putNext(
          "two", fields: ["album": .list([asset("a"), asset("b")], of: .asset)])
      }
      for (checksum, needed) in [("a", true), ("b", true), ("c", true), ("d", false)] {
        try expectEqual(try await isNeeded(checksum), needed, checksum)
      }
      try expectEqual(try await idle(store), [], "idle at first")
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.putNext("two", fields: ["album": .list([asset("b")], of: .asset)])
        let sequence = try transaction.sequences.next(in: .sample())
        try transaction.records.remove(
          RecordKey(zone: .sample(), name: "one"), type: "Trail", sequence: sequence)
        try transaction.assets.removeUpload("u")
      }
      for (checksum, needed) in [("a", false), ("b", true), ("c", false)] {
        try expectEqual(try await isNeeded(checksum), needed, "\(checksum) afterwards")
      }
    },
    Case("of the files that records let go together all are marked, and no others") { store in
      let checksums = (0..<150).map { "f\($0)" }
      try await store.write(in: .everything(of: store)) { transaction in
        for checksum in checksums + ["kept"] { try transaction.assets.put(file(checksum)) }
        for (number, name) in ["one", "two", "three"].enumerated() {
          let own = checksums.dropFirst(50 * number).prefix(50).map { asset($0) }
          try transaction.putNext(name, fields: ["files": .list(own, of: .asset)])
        }
        try transaction.putNext("four", fields: ["file": asset("kept")])
      }
      try await store.write(in: .everything(of: store)) { transaction in
        for name in ["one", "three"] {
          try transaction.records.remove(
            RecordKey(zone: .sample(), name: name), type: "Trail",
            sequence: transaction.sequences.next(in: .sample()))
        }
        try transaction.putNext("two", fields: ["file": asset("f50")])
      }
      let idle = checksums.filter { $0 != "f50" }.sorted()
      try expectEqual(try await Self.idle(store, limit: 200).sorted(), idle, "idle")
      try await store.read { transaction in
        for (checksum, needed) in [("f0", false), ("f50", true), ("f149", false), ("kept", true)] {
          try expectEqual(try transaction.assets.isFileNeeded(checksum), needed, checksum)
        }
      }
    },
    Case("a file that a record lets go of is marked, in the same transaction") { store in
      try await store.write(in: .everything(of: store)) { transaction in
        for checksum in ["a", "b", "c"] { try transaction.assets.put(file(checksum)) }
        try transaction.putNext("one", fields: ["photo": asset("a"), "other": asset("b")])
        try transaction.putNext("two", in: .sample("Other"), fields: ["photo": asset("c")])
      }
      struct Undone: Error {}
      do {
        try await store.write(in: .everything(of: store)) { transaction in
          try transaction.putNext("one")
          throw Undone()
        }
      } catch is Undone {}
      try expectEqual(try await idle(store), [], "after a failed write")
      try await store.write(in: .everything(of: store)) { transaction in
        try transaction.putNext("one", fields: ["photo": asset("b")])
      }
      try expectEqual(try await idle(store), ["a"], "after a change")
      try await store.write(in: .everything(of: store)) {
        try $0.records.removeAll(in: .sample("Other"))
      }
      try expectEqual(try await idle(store), ["a", "c"], "after a zone went")
    },
  ]
}
