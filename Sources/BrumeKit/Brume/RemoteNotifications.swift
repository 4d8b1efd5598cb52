// The receiving of pushes by a loop of the app, between the task that listens and the loop. One push
// at a time: the next is read when the loop has come back, which is what "received" means.

import BrumeClient
import BrumeModel
import Foundation
import Logging
import Synchronization

/// Listens while somebody holds it.
final class RemoteNotifications: Sendable {
  private let handoff = Handoff()
  private let listener: Task<Void, Never>
  /// The pushes of one user are not another's.
  private let account = Mutex<AccountWatch?>(nil)
  private let engines: EnginePushes
  private let hasStopped = Atomic(false)

  convenience init(_ connection: Connection) { self.init(connection, of: connection.signedIn) }

  /// - Parameter signedIn: whose pushes are received.
  init(_ connection: Connection, of signedIn: (session: Session, account: Int)) {
    let (session, user) = signedIn
    engines = connection.enginePushes
    engines.loops(+1)
    listener = Task { [handoff, engines] in
      do {
        try await PushReceiver(session).run { push in
          // Once the loop has handled it, the server may not send it to engines any more.
          engines.received(Self.notification(push))
          return await handoff.offer(push)
        }
      } catch is CancellationError {
      } catch {
        Self.logRefusal(error)
      }
      handoff.close()
    }
    // It is posted for each container of the connection, and this may have begun after the first.
    let watch = AccountWatch(connection) { [weak self, weak connection] in
      if connection?.account != user { self?.stop() }
    }
    account.withLock { $0 = watch }
    // Who signed in before that is seen here.
    if connection.account != user { stop() }
  }

  deinit { stop() }

  /// The next push; nil when there will be none.
  func next() async -> sending [AnyHashable: Any]? {
    while let payload = await handoff.take() {
      if let push = Self.dictionary(payload) { return push }
    }
    return nil
  }

  func stop() {
    if hasStopped.exchange(true, ordering: .relaxed) { return }
    _ = account.withLock { $0.take() }
    listener.cancel()
    handoff.close()
    engines.loops(-1)
  }
}

// MARK: For all who receive

extension RemoteNotifications {
  /// As an Apple device would get it; nil if it is none.
  private static func dictionary(_ push: [UInt8]) -> [AnyHashable: Any]? {
    let object = try? JSONSerialization.jsonObject(with: Data(push))
    guard let push = object as? [String: Any] else { return nil }
    return Dictionary(uniqueKeysWithValues: push.map { (AnyHashable($0), $1) })
  }

  /// What a push says; nil if it is none.
  static func notification(_ push: [UInt8]) -> CKNotification? {
    dictionary(push).flatMap { CKNotification(fromRemoteNotificationDictionary: $0) }
  }

  /// The server refused to send pushes, for good.
  static func logRefusal(_ error: any Error) {
    let error = CKError(converting: error, from: Viewpoint(scope: .private))
    Brume.log.error(
      "Pushes cannot be received", metadata: ["push.error": "\(error.localizedDescription)"])
  }
}

/// Passes values from one task to another, one by one. `offer` returns true when the taker has come
/// back for the next value, and so is done with this one.
final class Handoff: Sendable {
  private enum State {
    case idle
    case offered([UInt8], CheckedContinuation<Bool, Never>)
    /// The taker is working on a value.
    case taken(CheckedContinuation<Bool, Never>)
    case wanted(CheckedContinuation<[UInt8]?, Never>)
    case closed
  }
  private let state = Mutex(State.idle)

  func offer(_ value: [UInt8]) async -> Bool {
    await withCheckedContinuation { offer in
      let action: (() -> Void)? = state.withLock { state in
        switch state {
        case .idle:
          state = .offered(value, offer)
          return nil
        case .wanted(let taker):
          state = .taken(offer)
          return { taker.resume(returning: value) }
        case .closed: return { offer.resume(returning: false) }
        case .offered, .taken: preconditionFailure("one value at a time")
        }
      }
      action?()
    }
  }

  func take() async -> [UInt8]? {
    await withCheckedContinuation { taker in
      let action: (() -> Void)? = state.withLock { state in
        switch state {
        case .idle:
          state = .wanted(taker)
          return nil
        case .taken(let offer):
          state = .wanted(taker)
          return { offer.resume(returning: true) }
        case .offered(let value, let offer):
          state = .taken(offer)
          return { taker.resume(returning: value) }
        case .closed: return { taker.resume(returning: nil) }
        case .wanted(let other):
          state = .wanted(taker)
          return { other.resume(returning: nil) }
        }
      }
      action?()
    }
  }

  /// Ends both sides. A value that is being worked on counts as not received.
  func close() {
    let action: (() -> Void)? = state.withLock { state in
      defer { state = .closed }
      switch state {
      case .idle, .closed: return nil
      case .offered(_, let offer), .taken(let offer): return { offer.resume(returning: false) }
      case .wanted(let taker): return { taker.resume(returning: nil) }
      }
    }
    action?()
  }
}
