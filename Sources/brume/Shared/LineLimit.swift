// How many lines a command shows.

import ArgumentParser

enum LineLimit {
  /// - Throws: `ValidationError` if it is none.
  static func require(_ limit: Int) throws {
    guard limit > 0 else {
      throw ValidationError("--limit is '\(limit)'; it is a number from 1 on")
    }
  }
}
