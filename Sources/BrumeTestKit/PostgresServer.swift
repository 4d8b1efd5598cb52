// A PostgreSQL server for the tests of this process, and an empty schema of it for each test. It ends with this
// process, however that ends: the server's script waits for the end of what it reads.

package import BrumeStorage
import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One running server.
package final class PostgresServer: Sendable {
  /// The one that tests share which do it no harm; started with the first of them.
  package static let shared = Result { try PostgresServer() }

  package let url: String
  /// What the script reads, and what it answers. The server ends when the first is closed.
  private let ends: Mutex<(orders: Int32, answers: Int32)>
  private let count = Atomic<Int>(0)

  /// - Parameter settings: of the server, such as `fsync=on`.
  /// - Throws: `StoreError` with what the script said, if there is no server.
  package init(_ settings: [String] = []) throws {
    let (input, output) = (try Self.pipe(), try Self.pipe())
    ends = Mutex((input.write, output.read))
    try Self.start([Self.script] + settings, reading: input.read, writing: output.write)
    for descriptor in [input.read, output.write] { close(descriptor) }
    url = Self.line(output.read)
    guard url.hasPrefix("postgres://") else {
      throw StoreError(.unavailable, "no PostgreSQL server for tests: \(url)")
    }
  }

  deinit {
    ends.withLock { ends in
      close(ends.orders)
      close(ends.answers)
    }
  }

  /// The URL of an empty schema.
  ///
  /// - Throws: `StoreError` with what the server said.
  package func emptySchema() throws -> String {
    let name = "test_\(count.add(1, ordering: .relaxed).newValue)"
    try run("CREATE SCHEMA \(name)")
    return "\(url)?options=-csearch_path%3D\(name)"
  }

  /// The URL of an empty schema in which nobody receives what is sent with `pg_notify`: what is found before the
  /// system's own function does nothing.
  ///
  /// - Throws: `StoreError` with what the server said.
  package func silentSchema() throws -> String {
    let url = try emptySchema()
    try run("CREATE FUNCTION pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT'", at: url)
    return url + "%2Cpg_catalog"
  }

  /// A server for `body` alone.
  ///
  /// - Throws: as `init`; what `body` throws.
  package static func with<Value>(
    _ settings: [String] = [], _ body: (PostgresServer) async throws -> Value
  ) async throws -> Value {
    let server = try PostgresServer(settings)
    // Or it would end with its last use, which stores on it do not see.
    defer { withExtendedLifetime(server) {} }
    return try await body(server)
  }

  /// Carries out statements as the server's administrator, on a connection of their own.
  ///
  /// - Parameters:
  ///   - statements: without line breaks.
  ///   - url: such as that of a schema.
  /// - Throws: `StoreError` with what the server said.
  package func run(_ statements: String, at url: String? = nil) throws {
    let answer = try answer("sql \(url ?? self.url) \(statements)")
    guard answer == "done" else { throw StoreError(.unavailable, answer) }
  }

  /// What the script is ordered to do to the server.
  package enum Command: Sendable {
    /// At once, without writing anything more.
    case stop
    /// All of its processes.
    case kill
    /// Again, on the same data and port, with more settings.
    case start([String] = [])
    /// Of its data, while it is stopped.
    case copy
    /// That copy in the place of its data, while it is stopped.
    case restore
    /// Answers the path of its log.
    case log

    fileprivate var text: String {
      switch self {
      case .start(let settings): (["start"] + settings).joined(separator: " ")
      default: "\(self)"
      }
    }
  }

  /// Waits for the server to have done it, on a thread that may wait.
  ///
  /// - Throws: `StoreError` with what the script said.
  @discardableResult
  package func perform(_ command: Command) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { [self] in
        continuation.resume(with: Result { try answer(command.text) })
      }
    }
  }

  /// Has the script carry out one of its other commands, on a thread that may wait.
  ///
  /// - Throws: `StoreError` with what the script said.
  package func order(_ text: String) async throws {
    let said: String = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { [self] in
        continuation.resume(with: Result { try answer(text) })
      }
    }
    guard said == "done" else { throw StoreError(.unavailable, said) }
  }

  private func answer(_ order: String) throws -> String {
    let line = Array("\(order)\n".utf8)
    let answer = ends.withLock { ends in
      let count = line.withUnsafeBytes { write(ends.orders, $0.baseAddress, $0.count) }
      return count == line.count ? Self.line(ends.answers) : ""
    }
    if answer.isEmpty { throw StoreError(.unavailable, "the server for tests is gone") }
    return answer
  }

  // MARK: The process

  private static let script: String = {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return (here.dropLast(3) + ["scripts", "test-postgres"]).joined(separator: "/")
  }()

  /// Nobody who is started later gets the ends.
  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard systemPipe(&ends) == 0 else { throw StoreError(.unavailable, "no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func start(
    _ arguments: [String], reading input: Int32, writing output: Int32
  ) throws {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    let words = (["python3"] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    guard posix_spawnp(&process, "python3", &actions, nil, words, environ) == 0 else {
      throw StoreError(.unavailable, "python3 cannot be started")
    }
    // Whoever else waits for children of this process is not to find one that nobody takes.
    _ = EngineThread.start { [process] in while waitpid(process, nil, 0) < 0, errno == EINTR {} }
  }

  private static func line(_ descriptor: Int32) -> String {
    var text: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(descriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count <= 0 || byte == UInt8(ascii: "\n") { return String(decoding: text, as: UTF8.self) }
      text.append(byte)
    }
  }
}

/// The name is taken above.
private func systemPipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }
