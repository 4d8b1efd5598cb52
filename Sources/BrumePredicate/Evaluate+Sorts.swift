// The order of a query's results. Missing values come first in ascending order; ties are broken by
// zone and record name, so that every page of a query agrees with the page before.

package import BrumeModel

extension Evaluate {
  /// Whether `a` comes before `b`.
  package static func precedes(_ a: Record, _ b: Record, _ sorts: [Sort]) -> Bool {
    if let answer = precedes(a, b, by: sorts[...]) { return answer }
    let zones = Order.text(a.zone.name, b.zone.name)
    return (zones == .same ? Order.text(a.name, b.name) : zones) == .before
  }

  /// Whether `a` comes before `b` by the sorts alone; nil: they are the same to all of them.
  package static func precedes(_ a: Record, _ b: Record, by sorts: ArraySlice<Sort>) -> Bool? {
    for sort in sorts {
      switch order(a, b, sort) {
      case .before: return sort.ascending
      case .after: return !sort.ascending
      case .same: continue
      }
    }
    return nil
  }

  private static func order(_ a: Record, _ b: Record, _ sort: Sort) -> Order {
    switch (sort.key(a), sort.key(b)) {
    case (nil, nil): .same
    case (nil, _): .before
    case (_, nil): .after
    case (let x?, let y?): Order.total(x, y)
    }
  }
}

extension Sort {
  /// What is compared: the value itself, or its distance in metres from the sort's location.
  package func key(_ record: Record) -> FieldValue? {
    guard let value = record.value(of: field) else { return nil }
    guard let relativeLocation else { return value }
    guard case .location(let place) = value else { return nil }
    return place.distance(to: relativeLocation).map { .double($0) }
  }
}
