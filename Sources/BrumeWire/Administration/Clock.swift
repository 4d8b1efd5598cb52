// The operator's `clock`: the time of a server, what waits for it, and how it is moved.

package import BrumeModel

extension Wire {
  /// The reply of `clock`.
  package static func clock(_ state: ClockState) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("now", state.now)
      writer.member("manual", state.isManual)
      writer.array("timers", state.timers) { writer, timer in
        writer.beginObject()
        writer.member("name", timer.name)
        writer.member("time", timer.time)
        writer.endObject()
      }
      if let reached = state.reached {
        writer.key("reached")
        writer.beginObject()
        writer.member("name", reached.name)
        writer.member("time", reached.time)
        writer.endObject()
      }
      writer.endObject()
    }
  }

  /// - Throws: `badRequest` unless the body says exactly one of both ways to move the clock.
  package static func clockMove(_ json: JSON) throws(BrumeError) -> ClockMove {
    let object = try json.asObject("the body")
    let (step, isToNext) = (try object.int("milliseconds"), try object.bool("toNext") ?? false)
    switch (step, isToNext) {
    case (let step?, false): return .by(step)
    case (nil, true): return .toNext
    default:
      throw BrumeError(
        .badRequest, "say how the clock moves: either 'milliseconds', or 'toNext': true")
    }
  }
}
