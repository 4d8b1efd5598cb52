// What the tests of this target share: short spellings.

import BrumeModel
import BrumePredicate

func record(
  _ fields: [String: FieldValue] = [:], name: String = "r1", zone: String = "Trails",
  encrypted: Set<String> = []
) -> Record {
  var record = Record(
    name: name, zone: ZoneID(name: zone), type: "Hike", fields: fields, encryptedFields: encrypted)
  record.created = Stamp(time: 1000, user: UserID("_ann"), device: "a")
  record.modified = Stamp(time: 2000, user: UserID("_bob"), device: "b")
  return record
}

func parse(_ format: String, _ arguments: PredicateArgument...) throws -> Predicate {
  try Predicate(format: format, arguments: arguments)
}

func filters(_ format: String, _ arguments: PredicateArgument...) throws -> [Filter] {
  try Predicate(format: format, arguments: arguments).filters()
}

/// The text of the error that a format gives, or "" if it gives none.
func refusal(_ format: String, _ arguments: PredicateArgument...) -> String {
  do throws(BrumeError) {
    _ = try Predicate(format: format, arguments: arguments).filters()
    return ""
  } catch {
    return error.code == .badRequest ? error.reason : "wrong code \(error.code)"
  }
}

func answer(_ filter: Filter, _ record: Record) -> Bool? {
  Evaluate.answer(filter, record, searchable: { _ in true })
}

func texts(_ texts: String...) -> FieldValue { .list(texts.map { .string($0) }, of: .string) }
func integers(_ numbers: Int64...) -> FieldValue { .list(numbers.map { .int64($0) }, of: .int64) }
func place(_ latitude: Double, _ longitude: Double) -> FieldValue {
  .location(Location(latitude: latitude, longitude: longitude))
}
func pointer(_ name: String) -> FieldValue { .reference(Reference(recordName: name)) }
