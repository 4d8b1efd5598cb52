// Names and texts use the field's words (docs/glossary.md). Words of the house's own that were replaced do not come
// back, also not as a part of a name such as `wasTold` or `was_told`.

import Foundation
import Testing

@Suite struct WordTidy {
  /// Words that are not written, and what is written instead.
  private static let banned = [
    "told": "notified, reported, answered, described", "tells": "notifies, reports, says",
    "heard": "received, was notified", "hears": "receives, is notified", "unheard": "unmatched",
    "overheard": "disclosed", "lent": "given, leased", "crowd": "many callers, subscribers",
    "crowded": "overfull", "born": "made, created", "birth": "creation, start",
  ]

  /// Where one of them stands all the same.
  private static let exceptions: [(word: String, path: String, reason: String)] = [
    ("birth", "Sources/BrumeSQLite/", "the column of a released migration, and the module below"),
    ("birth", "Sources/CFileBirth/", "a file's time of birth is what stat and statx call it"),
    ("birth", "docs/glossary.md", "says what the column of a released migration holds"),
    ("birth", "docs/internals/storage.md", "names the column of a released migration"),
  ]

  private static let folders = ["Sources", "Tests", "Benchmarks", "Examples", "docs"]

  @Test func `no name and no text has a word that was replaced`() {
    var used: Set<String> = []
    var count = 0
    for path in Self.paths() where path != "Tests/TidyTests/WordTidy.swift" {
      let file = Tidy.root.appending(path: path)
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      count += 1
      // A name of a file is a name too: line 0.
      let found = Self.found(in: path).mapValues { _ in 0 }
        .merging(Self.found(in: text)) { _, line in line }
      for (word, line) in found {
        let known = Self.exceptions.first { $0.word == word && path.hasPrefix($0.path) }
        if let known {
          used.insert(known.path)
          continue
        }
        Issue.record("\(path):\(line): not '\(word)', but \(Self.banned[word] ?? "another word")")
      }
    }
    #expect(count > 1500, "hardly any text was found: where have the folders gone?")
    let needless = Self.exceptions.map(\.path).filter { !used.contains($0) }
    #expect(needless.isEmpty, "no exception is needed for \(needless)")
  }

  @Test(arguments: [
    "Nobody was told.", "let wasTold = true", "was_told", "WAS_TOLD", "HTTPTold", "told()",
    "toldTwice", "it's told,",
  ])
  func `a planted word is found, whatever it is a part of`(text: String) {
    #expect(Self.found(in: "one line\n" + text) == ["told": 2])
  }

  @Test(arguments: ["silent, equivalent, excellent", "st_birthtime", "retold", "toldo", "borne"])
  func `a word that only holds one is another word`(text: String) {
    #expect(Self.found(in: text) == [:])
  }

  /// The banned words of a text in small letters, and the line on which each stands first. A large letter after a small
  /// one begins a word, as does one before a small one.
  private static func found(in text: String) -> [String: Int] {
    var (found, word, line): ([String: Int], [UInt8], Int) = ([:], [], 1)
    var isLarge = false
    func end() {
      let whole = String(decoding: word, as: UTF8.self).lowercased()
      if banned[whole] != nil, found[whole] == nil { found[whole] = line }
      word.removeAll(keepingCapacity: true)
    }
    for byte in Array(text.utf8) + [UInt8(ascii: "\n")] {
      let (wasLarge, isSmall) = (isLarge, (97...122).contains(byte))
      isLarge = (65...90).contains(byte)
      if isLarge && !wasLarge || !isLarge && !isSmall {
        if !word.isEmpty { end() }
      } else if isSmall, wasLarge, word.count > 1 {
        let first = word.removeLast()
        end()
        word = [first]
      }
      if isLarge || isSmall { word.append(byte) }
      if byte == UInt8(ascii: "\n") { line += 1 }
    }
    return found
  }

  /// All files in the folders, without what tools leave behind.
  private static func paths() -> [String] {
    let skipped = Tidy.root.path.count + (Tidy.root.path.hasSuffix("/") ? 0 : 1)
    return folders.flatMap { folder -> [String] in
      let files = FileManager.default.enumerator(
        at: Tidy.root.appending(path: folder), includingPropertiesForKeys: nil,
        options: [.skipsHiddenFiles])
      return (files?.compactMap { ($0 as? URL)?.path } ?? [])
        .filter { !$0.contains("/node_modules/") && !$0.contains("/__pycache__/") }
        .map { String($0.dropFirst(skipped)) }.sorted()
    }
  }
}
