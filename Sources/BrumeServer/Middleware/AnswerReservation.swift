// Room that is taken for an answer before its request changes anything: a request for whose answer there is none is refused
// while nothing is done. How much is an estimate by what the request brings; when the answer is there, it is what that takes.

import Synchronization

/// Of one request.
package final class AnswerReservation: Sendable {
  private let room: @Sendable (Int) -> HeldBytes.Share?
  private let share = Mutex<HeldBytes.Share?>(nil)

  /// - Parameter room: where an answer of so many bytes is counted; nil: it is not.
  init(_ room: @escaping @Sendable (Int) -> HeldBytes.Share?) { self.room = room }

  /// Takes room for an answer of about so many bytes. It is given back with the request unless its answer has `taken` it.
  ///
  /// - Throws: `RefusedRequest` if there is none.
  func take(_ bytes: Int) throws {
    guard let room = room(bytes) else { return }
    try room.fit(bytes)
    share.withLock { $0 = room }
  }

  /// The room, for the answer that is there; nil if none was taken.
  func taken() -> HeldBytes.Share? { share.withLock { $0.take() } }
}
