// JSON, predicate formats and the schema language.

import BrumeModel
import BrumePredicate
import BrumeQueryPlan
import BrumeSchema
import BrumeWire

extension Target {
  static let languages = [
    Target("json", longest: 512) { bytes in
      guard let value = try? JSON(parsing: bytes) else { return }
      let written = value.bytes()
      guard let again = try? JSON(parsing: written), again == value else {
        wrong("JSON is not what was written")
      }
    },
    Target("predicate", longest: 256) { bytes in readPredicate(parts(bytes, 6)) },
    Target("schema", longest: 1024) { bytes in
      let parts = parts(bytes, 2)
      _ = Schema.faults(of: text(parts[0]), limit: 10)
      guard let schema = try? Schema(parsing: text(parts[0])) else { return }
      guard let again = try? Schema(parsing: schema.text()), again == schema else {
        wrong("a schema is not what was printed")
      }
      guard parts.count == 2, let other = try? Schema(parsing: text(parts[1])) else { return }
      _ = schema.changes(to: other)
    },
  ]

  /// A format and the values of its placeholders.
  private static func readPredicate(_ parts: [[UInt8]]) {
    let arguments = parts.dropFirst().map { argument($0) }
    do throws(BrumeError) {
      let predicate = try Predicate(format: text(parts[0]), arguments: Array(arguments))
      judge(try predicate.filters(now: 5))
    } catch {
      guard error.code == .badRequest, error.reason.utf8.count < 2000 else {
        wrong("a predicate is refused with \(error.code), \(error.reason.utf8.count) bytes")
      }
    }
  }

  private static func argument(_ bytes: [UInt8]) -> PredicateArgument {
    let text = text(bytes)
    if text == "null" { return .null }
    if let number = Int64(text) { return .value(.int64(number)) }
    if let number = Double(text) { return .value(.double(number)) }
    if text.hasPrefix("@") { return .keyPath(String(text.dropFirst())) }
    let words = text.split(separator: ",").map { PredicateArgument.value(.string(String($0))) }
    return words.count > 1 ? .list(words) : .value(.string(text))
  }

  static let record: Record = {
    let list = FieldValue.list([.string("a"), .string("b")], of: .string)
    let fields: [String: FieldValue] = [
      "a": .string("eins zwei"), "b": .int64(5), "c": .double(1.5), "d": .timestamp(1000),
      "e": .location(Location(latitude: 1, longitude: 2)), "f": list, "g": .bytes([1, 2]),
      "h": .reference(Reference(recordName: "r")), "title": .string("x"),
    ]
    var record = Record(name: "r1", zone: ZoneID(name: "Trails"), type: "Hike", fields: fields)
    record.created = Stamp(time: 1000, user: UserID("_ann"), device: "a")
    record.modified = Stamp(time: 2000, user: UserID("_bob"), device: "b")
    return record
  }()

  /// Everything that reads conditions. Two that judge must agree.
  static func judge(_ filters: [Filter]) {
    let plain = Evaluate.matches(filters, record, searchable: { _ in true })
    let prepared = PreparedFilters(filters).match(record, searchable: { _ in true })
    guard plain == prepared else { wrong("prepared filters say \(prepared), plain ones \(plain)") }
    _ = Canonical.key(filters)
    let containerEnvironment = ContainerEnvironment(ContainerID("iCloud.a"), .development)
    let database = DatabaseKey(in: containerEnvironment, owner: UserID("_ann"))
    for filter in filters {
      for condition in IndexCondition.all(filter, in: database) {
        for range in condition.ranges.values {
          if case .between(let lower, let upper) = range {
            _ = (lower?.value.orderedBytes, upper?.value.orderedBytes)
          }
        }
      }
      filter.value.eachIndexRow { _, value in _ = value.orderedBytes }
    }
  }
}
