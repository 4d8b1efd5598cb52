import BrumeModel
import BrumeWire
import Testing

/// A trace on the wire, which the console and the command line read.
struct TraceTests {
  private static let whole: Trace = {
    var trace = Trace(sentence: "It came.", history: .init(age: 5, rows: 6))
    var change = Trace.Change(
      id: "0-12", time: 1, kind: .deleted, scope: .private, request: "R", notification: "N")
    (change.owner, change.zone, change.record) = ("alice", "Z", "r")
    (change.recordType, change.user, change.device) = ("Note", "bob", "phone")
    trace.change = change
    trace.others = [
      Trace.Change(
        id: "0-9", time: 1, kind: .zoneCreated, scope: .public, request: "", notification: "")
    ]
    trace.notCandidates = 4
    trace.isComplete = false
    var device = Trace.Device(
      device: "phone", channel: "apns", verdict: .merged, reason: "why", source: .recorded)
    (device.mergedInto, device.due) = ("M", 9)
    device.gates = [Trace.Gate(.merging, .failed, "fact", .judged)]
    device.attempts = [.init(time: 3, verdict: .retry, number: 2, status: 500, reason: "x")]
    trace.subscriptions = Trace.Verdict.allCases.map { verdict in
      var judgement = Trace.Judgement(
        user: "bob", subscription: "s", scope: .shared, verdict: verdict, reason: "why",
        source: .judged)
      judgement.gates = Trace.Gate.Name.allCases.map {
        Trace.Gate($0, .notAsked, "fact", .recorded)
      }
      judgement.devices = [device]
      return judgement
    }
    return trace
  }()

  @Test func `a trace is read as it was written`() throws {
    let bytes = Self.whole.json.bytes()
    #expect(try Trace(json: JSON(parsing: bytes)) == Self.whole)
    let empty = Trace(sentence: "", history: .init(age: 0, rows: 1))
    #expect(try Trace(json: JSON(parsing: empty.json.bytes())) == empty)
  }

  @Test func `a word that a reader does not know is named`() throws {
    let json: JSON = [
      "sentence": "", "history": [:],
      "change": ["id": "0-1", "kind": "sung", "scope": "public"],
    ]
    let error = #expect(throws: BrumeError.self) { try Trace(json: json) }
    #expect(error?.reason.contains("'kind' must be one of created") == true)
  }
}
