// Who is sent to next, and when to try again.
//
// A lane is one device or one webhook: at most one send of a lane is under way, so its order holds. A
// peer is the host behind it: how many sends it gets at once is bounded, and a slow one fills only its
// own share. Failures wait with growing, jittered pauses.
//
// This file only decides. What waits is in the store; forgetting everything here (a restart) loses
// nothing. The caller passes the time and chance in and carries the actions out.

package import BrumeModel
import DequeModule

/// The sends that are under way, waiting and paused. Each event returns what to do.
package struct DeliveryQueue<Lane: Hashable & Sendable>: Sendable {
  /// The bounds of a queue. Times are in milliseconds.
  package struct Rules: Sendable {
    /// Sends under way at once, over all peers.
    package var total: Int
    /// Lanes remembered.
    package var lanes: Int
    /// Of one peer.
    package var lanesPerPeer: Int
    /// The pause after a lane's first failure; it doubles with each further one.
    package var backoff: Milliseconds
    /// The longest pause of our own making.
    package var backoffMaximum: Milliseconds
    /// The longest pause that a peer may ask for.
    package var retryAfterMaximum: Milliseconds
    package init(_ limits: Limits) {
      total = limits.pushesUnderWay
      lanes = limits.deliveryLanes
      lanesPerPeer = limits.deliveryLanesPerPeer
      backoff = limits.deliveryBackoff
      backoffMaximum = limits.deliveryBackoffMaximum
      retryAfterMaximum = limits.retryAfterMaximum
    }
  }
  /// What became of a send.
  package enum Outcome: Equatable, Sendable {
    /// Nothing is left for this lane.
    case empty
    /// Done, and there may be more.
    case delivered
    /// There is something, but not before this time.
    case notDue(Milliseconds)
    /// To be tried again, not before `after` has passed if the other side said so.
    case retry(after: Milliseconds?)
    /// As `retry`, and the whole peer wants to be left alone.
    case busy(after: Milliseconds?)
  }
  /// What the caller must do next.
  package struct Action: Equatable, Sendable {
    /// Lanes to send for now, each with the number of the attempt.
    package var start: [Start] = []
    /// When to ask again if nothing else happens.
    package var wakeAt: Milliseconds?
    /// Lanes were turned away for which there is room now.
    package var looksAgain: Bool

    package init(start: [Start] = [], wakeAt: Milliseconds? = nil, looksAgain: Bool = false) {
      self.start = start
      self.wakeAt = wakeAt
      self.looksAgain = looksAgain
    }
  }
  /// A send that is to begin; its outcome is to be reported.
  package struct Start: Equatable, Sendable {
    /// Whom to send to.
    package let lane: Lane
    /// Which attempt it is, from 1.
    package let attempt: Int

    package init(lane: Lane, attempt: Int) {
      self.lane = lane
      self.attempt = attempt
    }
  }

  private enum State: Sendable {
    /// Held back: its owner has as many sends under way as one may have.
    case ready, heldBack, sending
    /// Until a time. A hint ends a wait for entries that are not due, never one after a failure.
    case waiting(Milliseconds, isPenalty: Bool)
  }
  private struct Track: Sendable {
    var peer: String
    var owner: String?
    var state: State
    var failures = 0
    /// A hint came while the lane was being served.
    var again = false
  }
  private struct Peer: Sendable {
    var limit: Int
    var running = 0
    let isOwned: Bool
    var lanes = 0
    var ready = Deque<Lane>()
    var failures = 0
    var pausedUntil: Milliseconds = .min
    /// It is in `turns`.
    var hasTurn = false
    /// One more lane than it may have was offered.
    var hasTurnedAway = false
  }
  private enum Alarm: Sendable {
    case lane(Lane)
    case peer(String)
  }

  private let rules: Rules
  private var tracks: [Lane: Track] = [:]
  private var failed = FailedLanes<Lane>()
  private var peers: [String: Peer] = [:]
  private var turns = Deque<String>()
  /// Of peers that users named.
  private var ownedTurns = Deque<String>()
  private var owned: OwnedSends<Lane>
  private var isOwnedTurn = false
  private var alarms = Alarms<Alarm>()
  private var lanes: BoundedCount
  private var running: BoundedCount
  private var time = SteadyTime()
  /// One more lane than there may be was offered.
  private var hasTurnedAway = false
  private var looksAgain = false

  package init(rules: Rules) {
    self.rules = rules
    lanes = BoundedCount(upTo: rules.lanes, of: "lanes that are remembered")
    running = BoundedCount(upTo: rules.total, of: "sends under way")
    owned = OwnedSends(of: rules.total)
  }

  /// Lanes that are remembered.
  package var laneCount: Int { lanes.value }
  /// Sends that have begun and not ended.
  package var underWay: Int { running.value }

  // MARK: Events, in the order they happen

  /// There is something to send for a lane, perhaps. Answers false if the queue is full and nobody in it can make room:
  /// the store remembers, and the next look through it finds the lane again, as it does what is more than a peer's share.
  ///
  /// - Parameter takesPlace: whether it takes the place of the lane that waits longest after a failure, which is looked for
  ///   again as one that was turned away is.
  package mutating func offer(
    _ lane: Lane, to peer: DeliveryPeer, takesPlace: Bool = false, now: Milliseconds
  ) -> Bool {
    let now = time.advanced(to: now)
    if let known = tracks[lane] {
      if known.peer != peer.name, moved(lane, to: peer, now) { return true }
      switch known.state {
      case .ready, .heldBack, .waiting(_, isPenalty: true): break
      case .sending: tracks[lane]?.again = true
      case .waiting(_, isPenalty: false): makeReady(lane, now)
      }
      return true
    }
    let isShareTaken = peers[peer.name].map { $0.lanes >= rules.lanesPerPeer } ?? false
    if !lanes.hasRoom { hasTurnedAway = true }
    if isShareTaken { peers[peer.name]?.hasTurnedAway = true }
    if !lanes.hasRoom || isShareTaken {
      guard takesPlace, let other = failed.longest(of: isShareTaken ? peer.name : nil)
      else { return lanes.hasRoom || !failed.isEmpty }
      remove(other)
    }
    add(lane, peer, now)
    return true
  }

  /// What to start now, and when to come back.
  package mutating func next(now: Milliseconds) -> Action {
    let now = time.advanced(to: now)
    while let alarm = alarms.pop(dueBy: now) { fire(alarm, now) }
    var action = Action()
    while running.hasRoom, let name = nextTurn() {
      peers[name]?.hasTurn = false
      guard let peer = peers[name], peer.running < peer.limit, peer.pausedUntil <= now,
        let lane = nextReady(of: name)
      else { continue }
      peers[name]?.running += 1
      running.add()
      if let owner = tracks[lane]?.owner { owned.begin(for: owner) }
      tracks[lane]?.state = .sending
      tracks[lane]?.again = false
      action.start.append(Start(lane: lane, attempt: (tracks[lane]?.failures ?? 0) + 1))
      giveTurn(name, now)
    }
    action.wakeAt = alarms.first.map { time.clock($0) }
    action.looksAgain = looksAgain
    looksAgain = false
    return action
  }

  /// A send ended.
  ///
  /// - Parameter jitter: chance from 0 to 1, so that many do not come back together.
  package mutating func finished(
    _ lane: Lane, _ outcome: Outcome, now: Milliseconds, jitter: Double
  ) {
    let now = time.advanced(to: now)
    guard let track = tracks[lane], case .sending = track.state else { return }
    running.remove()
    peers[track.peer]?.running -= 1
    if let owner = track.owner, let next = owned.end(for: owner) { makeReady(next, now) }
    switch outcome {
    case .empty:
      succeeded(track, lane)
      if track.again { makeReady(lane, now) } else { remove(lane) }
    case .delivered:
      succeeded(track, lane)
      makeReady(lane, now)
    case .notDue(let due):
      let due = time.steady(due)
      if track.again { makeReady(lane, now) } else { wait(lane, until: due, isPenalty: false) }
    case .retry(let after):
      tracks[lane]?.failures += 1
      wait(lane, until: now + pause(track.failures, after, jitter), isPenalty: true)
    case .busy(let after):
      tracks[lane]?.failures += 1
      // Those that were under way together failed once, not each for itself.
      let isPaused = peers[track.peer].map { $0.pausedUntil > now } ?? false
      if !isPaused { peers[track.peer]?.failures += 1 }
      let until = now + pause((peers[track.peer]?.failures ?? 1) - 1, after, jitter)
      pausePeer(track.peer, until: until)
      wait(lane, until: until, isPenalty: true)
    }
    giveTurn(track.peer, now)
  }

  /// Ends every wait: what was in the way may be gone.
  package mutating func endPauses(now: Milliseconds) {
    let now = time.advanced(to: now)
    for name in peers.keys { peers[name]?.pausedUntil = .min }
    for (lane, track) in tracks {
      if case .waiting = track.state { makeReady(lane, now) }
    }
    for name in peers.keys { giveTurn(name, now) }
  }

  /// Ends the waits of some lanes after failures, and the pauses of their peers.
  ///
  /// - Returns: how many lanes waited.
  package mutating func endPenalties(
    of isMeant: (Lane) -> Bool, now: Milliseconds
  ) -> Int {
    let now = time.advanced(to: now)
    let meant = tracks.filter { lane, track in
      guard case .waiting(_, isPenalty: true) = track.state else { return false }
      return isMeant(lane)
    }
    for (lane, track) in meant {
      peers[track.peer]?.pausedUntil = .min
      makeReady(lane, now)
    }
    return meant.count
  }
}

// MARK: Steps

extension DeliveryQueue {
  /// Doubles from the first pause to the longest; between half of it and all, by chance. What the
  /// other side asked for is the least, within bounds.
  private func pause(_ failures: Int, _ asked: Milliseconds?, _ jitter: Double) -> Milliseconds {
    let full = min(rules.backoffMaximum, rules.backoff << Int64(min(failures, 20)))
    let own = full / 2 + Milliseconds(Double(full - full / 2) * min(max(jitter, 0), 1))
    return max(own, min(max(asked ?? 0, 0), rules.retryAfterMaximum))
  }

  private mutating func succeeded(_ track: Track, _ lane: Lane) {
    tracks[lane]?.failures = 0
    peers[track.peer]?.failures = 0
  }

  private mutating func add(_ lane: Lane, _ peer: DeliveryPeer, _ now: Milliseconds) {
    lanes.add()
    peers[peer.name, default: Peer(limit: peer.limit, isOwned: peer.owner != nil)].lanes += 1
    let isOwned = peers[peer.name]?.isOwned ?? false
    tracks[lane] = Track(peer: peer.name, owner: isOwned ? peer.owner : nil, state: .ready)
    peers[peer.name]?.limit = peer.limit
    makeReady(lane, now)
  }

  /// The device has another address now, at another host: what the old one asked for does not count.
  /// Answers false while a send is under way; a later offer moves it then.
  private mutating func moved(_ lane: Lane, to peer: DeliveryPeer, _ now: Milliseconds) -> Bool {
    if case .sending = tracks[lane]?.state { return false }
    remove(lane)
    add(lane, peer, now)
    return true
  }

  /// The peer whose turn it is: one that a user named, and another one, as far as there are some.
  private mutating func nextTurn() -> String? {
    isOwnedTurn.toggle()
    guard owned.hasRoom, isOwnedTurn || turns.isEmpty else { return turns.popFirst() }
    return ownedTurns.popFirst() ?? turns.popFirst()
  }

  /// Lanes that moved to another peer are still in the line of the old one; they are passed over.
  private mutating func nextReady(of name: String) -> Lane? {
    while let lane = peers[name]?.ready.popFirst() {
      guard let track = tracks[lane], track.peer == name, case .ready = track.state
      else { continue }
      guard let owner = track.owner, !owned.hasRoom(for: owner) else { return lane }
      tracks[lane]?.state = .heldBack
      owned.holdBack(lane, of: owner)
    }
    return nil
  }

  private mutating func makeReady(_ lane: Lane, _ now: Milliseconds) {
    guard let name = tracks[lane]?.peer else { return }
    tracks[lane]?.state = .ready
    tracks[lane]?.again = false
    failed.remove(lane, at: name)
    peers[name]?.ready.append(lane)
    giveTurn(name, now)
  }

  private mutating func wait(_ lane: Lane, until time: Milliseconds, isPenalty: Bool) {
    tracks[lane]?.state = .waiting(time, isPenalty: isPenalty)
    tracks[lane]?.again = false
    if isPenalty, let name = tracks[lane]?.peer { failed.insert(lane, at: name, until: time) }
    alarms.push(.lane(lane), at: time)
  }

  private mutating func pausePeer(_ name: String, until time: Milliseconds) {
    guard let until = peers[name]?.pausedUntil, time > until else { return }
    peers[name]?.pausedUntil = time
    alarms.push(.peer(name), at: time)
  }

  private mutating func remove(_ lane: Lane) {
    guard let track = tracks.removeValue(forKey: lane) else { return }
    if let owner = track.owner, case .heldBack = track.state { owned.forget(lane, of: owner) }
    failed.remove(lane, at: track.peer)
    lanes.remove()
    peers[track.peer]?.lanes -= 1
    noteRoom(of: track.peer)
    if peers[track.peer]?.lanes == 0 { peers[track.peer] = nil }
  }

  /// When half of the lanes are free, those that were turned away are looked for, not one by one.
  private mutating func noteRoom(of name: String) {
    if hasTurnedAway, lanes.value <= rules.lanes / 2 {
      (hasTurnedAway, looksAgain) = (false, true)
    }
    if let peer = peers[name], peer.hasTurnedAway, peer.lanes <= rules.lanesPerPeer / 2 {
      peers[name]?.hasTurnedAway = false
      looksAgain = true
    }
  }

  private mutating func giveTurn(_ name: String, _ now: Milliseconds) {
    guard let peer = peers[name], !peer.hasTurn, !peer.ready.isEmpty, peer.running < peer.limit,
      peer.pausedUntil <= now
    else { return }
    peers[name]?.hasTurn = true
    if peer.isOwned { ownedTurns.append(name) } else { turns.append(name) }
  }

  /// An alarm does nothing if a later wait, or a hint, has taken its place.
  private mutating func fire(_ alarm: Alarm, _ now: Milliseconds) {
    switch alarm {
    case .peer(let name): giveTurn(name, now)
    case .lane(let lane):
      if case .waiting(let time, _) = tracks[lane]?.state, time <= now { makeReady(lane, now) }
    }
  }
}

/// The host behind a lane.
package struct DeliveryPeer: Equatable, Sendable {
  /// The host; one share of the sends belongs to each name.
  package let name: String
  /// Sends at once.
  package let limit: Int
  /// The user who named the host; nil: nobody can name as many as they like.
  package let owner: String?
  package init(name: String, limit: Int, owner: String? = nil) {
    precondition(limit > 0, "a peer that may get nothing is none")
    self.name = name
    self.limit = limit
    self.owner = owner
  }
}
