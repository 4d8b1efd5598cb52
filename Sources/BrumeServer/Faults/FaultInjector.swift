// The faults of a running server: keeps the plan that decides, and the pushes that are held back.
// What is done about a decision is in `FaultyCalls.swift` and `PushFaults.swift`. Only a server in
// development mode has one.

package import BrumeCore
package import BrumeModel
import BrumeStorage
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The faults of one server.
package final class FaultInjector: Sendable {
  private struct State {
    var plan: FaultPlan
    /// Pushes that a fault has taken, the oldest first: somebody may have read them before they were removed.
    var taken: [PushPlace] = []
  }
  private let state: Mutex<State>
  private let held = Mutex<[HeldPush]>([])
  /// Pushes that are remembered, and that are held back, at once.
  private let mostPushes: Int

  /// Where a push is, which no other ever is.
  struct PushPlace: Equatable, Sendable {
    let device: DeviceKey
    let position: Int64
  }

  struct HeldPush: Sendable {
    let entry: MailboxEntry
    let device: DeviceKey
  }

  init(limits: Limits) {
    state = Mutex(State(plan: FaultPlan(limits: limits)))
    mostPushes = limits.mailboxRows
  }

  /// Adds faults that follow each other. Answers the ID of the first.
  ///
  /// - Throws: `limitExceeded`, with nothing added, if there would be too many.
  @discardableResult
  package func add(_ faults: [Fault]) throws(BrumeError) -> Int {
    try state.withLock { state throws(BrumeError) in try state.plan.add(faults) }
  }

  /// Takes all faults away. Pushes that are held back stay so.
  package func clear() { state.withLock { $0.plan.clear() } }

  /// Faults that calls may still meet.
  package var entries: [FaultPlan.Entry] { state.withLock { $0.plan.entries } }

  var isIdle: Bool { state.withLock { $0.plan.isEmpty } }

  /// Whether every push leaves as it is, also one that was read a while ago.
  var leavesPushes: Bool { state.withLock { $0.plan.isEmpty && $0.taken.isEmpty } }

  func decide(_ call: FaultPlan.Call) -> FaultPlan.Decision {
    state.withLock { $0.plan.decide(call) }
  }

  /// What a push on its way meets; nil: a fault has taken it already.
  func decide(on push: PushPlace, _ call: FaultPlan.Call) -> FaultPlan.Decision? {
    state.withLock { state in
      if state.taken.contains(push) { return nil }
      let decision = state.plan.decide(call)
      if decision.takesPush {
        state.taken.append(push)
        state.taken.removeFirst(max(0, state.taken.count - mostPushes))
      }
      return decision
    }
  }

  /// Who is signed in on a caller's device. A device that a fault signed out is one without an account:
  /// it reads the public database.
  func account(of caller: Caller) -> Caller {
    guard let proven = caller.user, caller.kind == .user else { return caller }
    let user = state.withLock { $0.plan.user(of: proven, on: caller.device) }
    if user == proven { return caller }
    return Caller(
      in: caller.containerEnvironment, user: user,
      device: caller.device, kind: user == nil ? .anonymous : .user, requestID: caller.requestID)
  }

  /// Keeps a push back. When too many are held, the oldest is lost.
  func hold(_ push: HeldPush) {
    held.withLock { held in
      held.append(push)
      held.removeFirst(max(0, held.count - mostPushes))
    }
  }

  func takeHeld() -> [HeldPush] {
    held.withLock { held in
      defer { held = [] }
      return held
    }
  }
}

extension FaultPlan.Decision {
  fileprivate var takesPush: Bool {
    switch fault?.effect {
    case .dropPush, .holdPush: true
    default: false
    }
  }
}

/// The connection ends without an answer, as a fault asked for.
struct BrokenConnection: Error {
  /// What a framework reports of it; returned to callers in the same process, who have no connection.
  let ckError: Int
  let retryAfter: Double?

  /// A body that breaks off before its first byte: the server closes the connection.
  var response: Response {
    var headers: HTTPFields = [.contentLength: "1", .fault: String(ckError)]
    if let retryAfter { headers[.retryAfter] = String(retryAfter) }
    return Response(
      status: .internalServerError, headers: headers,
      body: ResponseBody(contentLength: 1) { _ in throw self })
  }
}

extension HTTPField.Name {
  static let fault = HTTPField.Name("X-Brume-Fault")!
}
