// Which name was probably meant by one that nothing has.

/// Names that differ in a letter or two.
package enum NearName {
  /// Nil: none is near.
  package static func of(_ name: String, among names: [String]) -> String? {
    let near = names.map { (name: $0, distance: distance($0, name)) }.min {
      $0.distance < $1.distance
    }
    guard let near, near.distance <= 2, near.distance < name.count else { return nil }
    return near.name
  }

  /// How many letters must be put in, left out or changed to make one of the other (Levenshtein).
  private static func distance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count)
    for (i, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in other.indices {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (letter == other[j] ? 0 : 1))
        diagonal = above
      }
    }
    return row[other.count]
  }
}
