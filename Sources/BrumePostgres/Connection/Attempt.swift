// An attempt to connect: libpq's handle of the connection, or why there is none.

import CPostgres

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

enum Attempt {
  /// Connects and waits for it.
  static func connect(_ settings: ConnectionSettings) throws(ServerError) -> OpaquePointer {
    guard let handle = open(settings.parameters) else {
      throw ServerError(code: nil, message: "no memory for a connection")
    }
    // Remarks of the server are no errors, and libpq would write them to standard error.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    guard PQstatus(handle) != CONNECTION_OK else { return handle }
    let error = reconnectForErrorCode(handle)
    guard PQstatus(handle) != CONNECTION_OK else { return handle }
    PQfinish(handle)
    throw error
  }

  /// What the attempt met. libpq keeps the server's code to itself, but for those who asked for codes before they
  /// connect, and that can be asked only of a handle that there is: so the second attempt brings the code.
  private static func reconnectForErrorCode(_ handle: OpaquePointer) -> ServerError {
    let message = message(of: handle)
    var code: String?
    if isOfServer(message) {
      let before = PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
      PQreset(handle)
      code = self.code(in: self.message(of: handle))
      _ = PQsetErrorVerbosity(handle, before)
    }
    return ServerError(code: code, message: message)
  }

  /// Only before what a server says are two spaces, in any language.
  private static func isOfServer(_ message: String) -> Bool { message.contains(sign) }
  private static let sign = ":  "

  /// The code that ends the last of a server's words, as in "FATAL:  28P01".
  static func code(in message: String) -> String? {
    guard let end = message.ranges(of: sign).last?.upperBound else { return nil }
    let code = message[end...].prefix { $0.isASCII && ($0.isNumber || $0.isUppercase) }
    return code.count == 5 ? String(code) : nil
  }

  /// What libpq says was wrong with a connection last, in one line.
  static func message(of handle: OpaquePointer) -> String {
    let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    // Its later lines begin with a tab.
    let line = text.split { "\n\t".contains($0) }.joined(separator: "; ")
    return line.isEmpty ? "the connection to PostgreSQL was lost" : line
  }

  private static func open(_ parameters: [(keyword: String, value: String)]) -> OpaquePointer? {
    var keywords: [UnsafePointer<CChar>?] = []
    var values: [UnsafePointer<CChar>?] = []
    let copies = parameters.map { (strdup($0.keyword), strdup($0.value)) }
    defer {
      for (keyword, value) in copies {
        free(keyword)
        free(value)
      }
    }
    for (keyword, value) in copies {
      keywords.append(UnsafePointer(keyword))
      values.append(UnsafePointer(value))
    }
    return PQconnectdbParams(keywords + [nil], values + [nil], 1)
  }
}
