// The description of the protocol for machines has every endpoint of it, and no other.

import BrumeConformance
import BrumeServer
import Testing

@Suite struct DescriptionTests {
  /// Addresses that the protocol's answers hand out. Operators' calls are all in it.
  private static let ours: Set = [
    "/_brume/assets/upload", "/_brume/assets/file", "/_brume/courier",
  ]

  @Test func `the description has every endpoint of the protocol`() async throws {
    let description = try Description(file: ConformanceTests.description)
    #expect(try await Self.served().subtracting(description.operations).sorted() == [])
  }

  @Test func `the description has no endpoint that is not served`() async throws {
    let description = try Description(file: ConformanceTests.description)
    #expect(try await description.operations.subtracting(Self.served()).sorted() == [])
  }

  @Test func `an endpoint is a method and a path`() async throws {
    let served = try await Self.served()
    #expect(served.contains("POST /device/1/{container}/{environment}/tokens/create"))
    #expect(served.contains("HEAD /_brume/assets/file"))
  }

  private static func served() async throws -> Set<String> {
    var operations: Set<String> = []
    for endpoint in try await ServerFixture.endpoints() where isProtocol(endpoint.path) {
      for method in endpoint.methods { operations.insert("\(method) \(template(endpoint.path))") }
    }
    return operations
  }

  private static func isProtocol(_ path: String) -> Bool {
    path.hasPrefix("/database/") || path.hasPrefix("/device/") || ours.contains(path)
      || path.hasPrefix("/_brume/admin/")
  }

  /// `:container` as OpenAPI writes it.
  private static func template(_ path: String) -> String {
    path.split(separator: "/").map { $0.hasPrefix(":") ? "/{\($0.dropFirst())}" : "/\($0)" }
      .joined()
  }
}
