// Conditions of the form "begins with", by field and prefix. A text is looked up once for each length
// of prefix that occurs, by its bytes.

import BrumeModel

struct PrefixPostings: Sendable {
  private struct Field: Sendable {
    var nodes: [[UInt8]: [Int32]] = [:]
    /// How many prefixes there are of each length in bytes.
    var lengths: [Int: Int] = [:]
  }
  private var byField: [FieldName: Field] = [:]

  var fields: [FieldName] { Array(byField.keys) }

  mutating func insert(_ node: Int32, _ field: FieldName, _ prefix: String) {
    let bytes = Array(prefix.utf8)
    var entry = byField.removeValue(forKey: field) ?? Field()
    if entry.nodes[bytes] == nil { entry.lengths[bytes.count, default: 0] += 1 }
    entry.nodes[bytes, default: []].append(node)
    byField[field] = entry
  }

  mutating func remove(_ node: Int32, _ field: FieldName, _ prefix: String) {
    let bytes = Array(prefix.utf8)
    guard var entry = byField.removeValue(forKey: field) else { return }
    entry.nodes[bytes]?.removeAll { $0 == node }
    if entry.nodes[bytes]?.isEmpty == true {
      entry.nodes[bytes] = nil
      entry.lengths[bytes.count, default: 1] -= 1
      if entry.lengths[bytes.count] == 0 { entry.lengths[bytes.count] = nil }
    }
    if !entry.nodes.isEmpty { byField[field] = entry }
  }

  func collect(_ field: FieldName, _ text: String, into found: inout [Int32]) {
    guard let entry = byField[field] else { return }
    let bytes = Array(text.utf8)
    for length in entry.lengths.keys where length <= bytes.count {
      if let nodes = entry.nodes[Array(bytes.prefix(length))] { found.append(contentsOf: nodes) }
    }
  }
}
