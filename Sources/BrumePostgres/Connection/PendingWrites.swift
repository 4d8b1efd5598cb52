// What a transaction has written and not yet sent: rows by table, so that a row that is written often is sent
// once, and statements of other kinds, which keep their place among them.

import BrumeStorage

struct PendingWrites {
  /// The last word about each row of a table.
  private struct TableRows {
    let table: Table
    /// In the order in which they were first written: the whole row, or the key of one that goes.
    var rows: [(values: [SQLValue], isGone: Bool)] = []
    /// Their places, by what distinguishes each from all others.
    var places: [ByteKey: Int] = [:]

    mutating func set(_ values: [SQLValue], isGone: Bool) {
      let (key, next) = (table.identity(values), rows.count)
      let place = places[key] ?? next
      guard place == next else { return rows[place] = (values, isGone) }
      places[key] = next
      rows.append((values, isGone))
    }

    func commands(onCitus: Bool) -> [Connection.Command] {
      let gone = rows.filter(\.isGone).map(\.values)
      let put = rows.filter { !$0.isGone }.map(\.values)
      return (gone.isEmpty ? [] : table.deleted(gone, onCitus: onCitus))
        + (put.isEmpty ? [] : table.upserted(put, onCitus: onCitus))
    }
  }
  private enum Part {
    case rows([Int: TableRows])
    case command(Connection.Command)
  }

  private var parts: [Part] = []

  var isEmpty: Bool { parts.isEmpty }

  mutating func put(_ row: [SQLValue], in table: Table) { set(row, table, isGone: false) }

  mutating func remove(_ key: [SQLValue], from table: Table) { set(key, table, isGone: true) }

  /// Adds a statement that comes after everything before it.
  mutating func add(_ command: Connection.Command) { parts.append(.command(command)) }

  /// Adds what was written after this.
  mutating func add(_ later: PendingWrites) {
    for part in later.parts {
      guard case .rows(let tables) = part, case .rows(var mine)? = parts.last else {
        parts.append(part)
        continue
      }
      parts.removeLast()
      for (id, new) in tables {
        if mine[id] == nil { mine[id] = TableRows(table: new.table) }
        for row in new.rows { mine[id]?.set(row.values, isGone: row.isGone) }
      }
      parts.append(.rows(mine))
    }
  }

  /// Takes out the rows of a table, once there are so many; with all before them that has to be carried out first.
  mutating func take(_ table: Table, from count: Int, onCitus: Bool) -> [Connection.Command] {
    guard case .rows(var tables)? = parts.last, let rows = tables[table.id],
      rows.rows.count >= count
    else { return [] }
    if parts.count > 1 {
      defer { parts = [] }
      return commands(onCitus: onCitus)
    }
    tables[table.id] = nil
    parts = tables.isEmpty ? [] : [.rows(tables)]
    return rows.commands(onCitus: onCitus)
  }

  /// In the order in which they are to be carried out.
  func commands(onCitus: Bool) -> [Connection.Command] {
    parts.flatMap { part -> [Connection.Command] in
      switch part {
      case .command(let command): [command]
      case .rows(let tables):
        tables.sorted { $0.key < $1.key }.flatMap { $0.value.commands(onCitus: onCitus) }
      }
    }
  }

  private mutating func set(_ values: [SQLValue], _ table: Table, isGone: Bool) {
    guard case .rows(var tables)? = parts.last else {
      var rows = TableRows(table: table)
      rows.set(values, isGone: isGone)
      return parts.append(.rows([table.id: rows]))
    }
    // Taken out, so that it is changed in its place.
    parts[parts.count - 1] = .rows([:])
    tables[table.id, default: TableRows(table: table)].set(values, isGone: isGone)
    parts[parts.count - 1] = .rows(tables)
  }
}
