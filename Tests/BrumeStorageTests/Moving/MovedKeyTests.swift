// How a row of a move is called where something is wrong with it.

import BrumeStorage
import Testing

@Suite struct MovedKeyTests {
  @Test(arguments: [
    MovedTable.apiTokens, .usedSignatures, .operatorCredentials, .shortGUIDs,
  ])
  func `a key that lets somebody in is shown by its beginning`(table: MovedTable) {
    #expect(table.keyText([.text("0abcdefgh")]) == "0abc…")
  }

  @Test func `another key is shown whole`() {
    #expect(MovedTable.users.keyText([.text("_alice")]) == "'_alice'")
  }
}
