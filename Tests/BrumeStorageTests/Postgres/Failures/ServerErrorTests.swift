// What an operator reads of an error of PostgreSQL's, wherever it comes up.

import BrumeStorage
import Testing

@testable import BrumePostgres

@Suite struct ServerErrorTests {
  @Test(arguments: [
    ServerError(code: nil, message: "no password supplied"),
    ServerError(code: nil, message: "Connection refused; Is the server running on that host?"),
    ServerError(code: nil, message: "could not translate host name \"db\" to address"),
    ServerError(code: "28P01", message: "password authentication failed"),
    ServerError(code: "42501", message: "permission denied for table records"),
    ServerError(code: "22P02", message: "an error that nobody knows more of"),
  ])
  func `the next step is the same for a request and for an attempt to connect:`(
    error: ServerError
  ) {
    #expect(error.storeError.description == "PostgreSQL: \(error.sentence)")
    #expect(error.ofConnecting.description.hasSuffix(": \(error.sentence)"))
    #expect(error.sentence.hasPrefix(error.message))
    #expect(error.sentence.hasSuffix(error.nextStep.map { "; \($0)" } ?? "(SQLSTATE 22P02)"))
  }

  @Test func `a statement that takes too long is no lack of room, and says what to do`() {
    let error = ServerError(code: "57014", message: "canceling statement due to statement timeout")
    #expect(error.storeError.code == .tooSlow)
    #expect(error.storeError.description.contains("narrow the query"))
  }

  @Test(arguments: [
    ("connection to server failed: FATAL:  28P01", "28P01"),
    ("failed: FATAL:  57P03; connection to the next failed: FATAL:  3D000", "3D000"),
    ("failed: KATASTROPHAL:  28000", "28000"), ("failed: Connection refused", nil),
    ("failed: FATAL:  password authentication failed", nil), ("", nil),
  ])
  func `the code is the last of what libpq says:`(text: String, code: String?) {
    #expect(Attempt.code(in: text) == code)
  }
}
