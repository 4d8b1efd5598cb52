// What clients do, as request bodies, and loops that count how often a second.

import Foundation

enum Bodies {
  private static let blob = Data(repeating: 0x5A, count: 900).base64EncodedString()

  static func save(_ count: Int, zone: String) -> [UInt8] {
    let operations = (0..<count).map { index in
      #"{"operationType":"create","record":{"recordName":"\#(UUID().uuidString)","recordType":"Note","fields":{"a":{"value":\#(index % 1000),"type":"INT64"},"b":{"value":\#(index % 7),"type":"INT64"},"body":{"value":"\#(blob)","type":"BYTES"}}}}"#
    }
    return Array(
      #"{"zoneID":{"zoneName":"\#(zone)"},"atomic":true,"operations":[\#(operations.joined(separator: ","))]}"#
        .utf8)
  }

  static func createZone(_ zone: String) -> [UInt8] {
    Array(
      #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"\#(zone)"}}}]}"#.utf8
    )
  }

  static func changes(zone: String, token: String?, limit: Int) -> [UInt8] {
    let since = token.map { #","syncToken":"\#($0)""# } ?? ""
    return Array(
      #"{"zones":[{"zoneID":{"zoneName":"\#(zone)"}\#(since)}],"resultsLimit":\#(limit)}"#.utf8)
  }

  /// The value of a string key, found without parsing the rest. Only for what our server sends.
  static func string(_ key: String, in body: ArraySlice<UInt8>) -> String? {
    let pattern = Array("\"\(key)\":\"".utf8)
    return body.withUnsafeBytes { body in
      var start = 0
      while start + pattern.count <= body.count {
        guard let quote = memchr(body.baseAddress! + start, 0x22, body.count - start) else { break }
        start = UnsafeRawPointer(quote) - body.baseAddress!
        guard start + pattern.count <= body.count else { break }
        if memcmp(quote, pattern, pattern.count) == 0 {
          let value = body[(start + pattern.count)...].prefix { $0 != 0x22 }
          return String(decoding: value, as: UTF8.self)
        }
        start += 1
      }
      return nil
    }
  }
}

/// Runs `body` on prepared values for some seconds, and counts only the time that it takes; answers
/// calls per second. What a client does to make its request is not the server's time.
func rate<Value>(
  seconds: Double, preparing prepare: () -> Value, _ body: (Value) throws -> Void
) rethrows -> Double {
  var (spent, count) = (Duration.zero, 0)
  while spent < .seconds(seconds) {
    let value = prepare()
    let start = ContinuousClock.now
    try body(value)
    spent += start.duration(to: .now)
    count += 1
  }
  return Double(count) / spent.asSeconds
}

/// Runs `body` again and again for some seconds; answers calls per second.
func rate(seconds: Double, _ body: () throws -> Void) rethrows -> Double {
  let start = ContinuousClock.now
  var count = 0
  while start.duration(to: .now) < .seconds(seconds) {
    try body()
    count += 1
  }
  return Double(count) / start.duration(to: .now).asSeconds
}

/// Runs one loop on each of several threads at once; answers calls per second in all.
func rate(
  seconds: Double, threads: Int, _ make: @Sendable @escaping (Int) throws -> () throws -> Void
) throws -> Double {
  let total = Total()
  try onThreads(threads) { index in
    let body = try make(index)
    total.add(try rate(seconds: seconds, body))
  }
  return total.value
}

/// Runs the body on several threads; throws the first error of any of them.
func onThreads(_ count: Int, _ body: @Sendable @escaping (Int) throws -> Void) throws {
  let (group, errors) = (DispatchGroup(), FirstError())
  for index in 0..<count {
    group.enter()
    Thread.detachNewThread {
      defer { group.leave() }
      do { try body(index) } catch { errors.note(error) }
    }
  }
  group.wait()
  try errors.check()
}

/// A sum over threads.
final class Total: @unchecked Sendable {
  // Sendable because the lock guards the only stored state.
  private let lock = NSLock()
  private var sum = 0.0
  var value: Double { lock.withLock { sum } }
  func add(_ value: Double) { lock.withLock { sum += value } }
}

/// What went wrong first, on whichever thread: a figure of a run with failures says nothing.
final class FirstError: @unchecked Sendable {
  // Sendable because the lock guards the only stored state.
  private let lock = NSLock()
  private var error: (any Error)?
  func note(_ error: any Error) { lock.withLock { self.error = self.error ?? error } }
  func check() throws { if let error = lock.withLock({ error }) { throw error } }
}

extension Duration {
  var asSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
