// A page of the file of a closed store, damaged so that SQLite refuses it.

import BrumeTestKit
import Foundation
import Testing

extension TemporaryFolder {
  /// Damages the one page with rows of a table that holds a text.
  func damagePage(holding text: String) throws {
    let (url, pageBytes, leaf) = (URL(filePath: path + "/data/brume.sqlite"), 4096, UInt8(13))
    var bytes = try Data(contentsOf: url)
    let pages = stride(from: 0, to: bytes.count, by: pageBytes).filter { start in
      bytes[start] == leaf && bytes[start..<start + pageBytes].range(of: Data(text.utf8)) != nil
    }
    for start in pages { bytes[start] = 0 }
    #expect(pages.count == 1)
    try bytes.write(to: url)
  }
}
