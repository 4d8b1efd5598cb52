// A time as people type it: as commands print it, as a date alone, or as programs have it.

import ArgumentParser
import BrumeModel

struct Moment: ExpressibleByArgument {
  let time: Milliseconds

  /// `2026-11-22T08:49:37Z`, `2026-11-22` for its beginning in UTC, or milliseconds since 1970.
  init?(argument: String) {
    let read = ISODate.milliseconds(argument) ?? ISODate.milliseconds("\(argument)T00:00:00Z")
    guard let time = read ?? Milliseconds(argument) else { return nil }
    self.time = time
  }
}
