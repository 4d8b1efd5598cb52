// What every channel to the outside must do, whatever its protocol: one other side that answers as it is
// given, and the channel's own words for it. Run on each channel in Tests/BrumePushTests.
//
// Streams and polls have no place here: there nobody sends, a device comes and fetches.

import BrumeCore
package import BrumeDelivery
package import BrumeModel
import Synchronization

/// The cases that every channel must pass.
package enum ChannelContract {
  /// What the other side says, in words of no protocol.
  package enum Answer: Hashable, Sendable, CaseIterable {
    case accept
    /// Come back in nine seconds.
    case busy
    case gone, tooLarge, refuse
    /// The connection breaks.
    case silence
  }
  /// What arrived there.
  package struct Arrival: Equatable, Sendable {
    /// Nil where the protocol has no place for it.
    package let id: String?
    /// The push as the device reads it; empty where it cannot be read without the device's key.
    package let payload: [UInt8]
    /// Everything else that arrived, as text: no secret of another push may be in it.
    package let bytes: Int
    package init(id: String?, payload: [UInt8], bytes: Int) {
      self.id = id
      self.payload = payload
      self.bytes = bytes
    }
  }
  /// A channel with another side that answers in turn, and then accepts.
  package struct Subject: Sendable {
    package let channel: any Channel
    package let device: Device
    package let answer: @Sendable ([Answer]) -> Void
    package let arrivals: @Sendable () -> [Arrival]
    package init(
      channel: any Channel, device: Device, answer: @escaping @Sendable ([Answer]) -> Void,
      arrivals: @escaping @Sendable () -> [Arrival]
    ) {
      self.channel = channel
      self.device = device
      self.answer = answer
      self.arrivals = arrivals
    }
  }
  /// One promise of channels. Throws what it found wrong.
  package struct Case: Sendable, CustomStringConvertible {
    package let name: String
    package let run: @Sendable (Subject) async throws -> Void
    package var description: String { name }
  }

  package static let all: [Case] = [
    Case(name: "what the other side takes is done, and arrived once") { subject in
      let answer = try await subject.channel.send(push(to: subject))
      try expectEqual(answer.verdict, .done, "verdict")
      try expectEqual(subject.arrivals().count, 1, "arrivals")
    },
    Case(name: "a push sent again carries the same ID and the same push") { subject in
      subject.answer([.silence, .busy])
      for _ in 0..<3 { _ = try await subject.channel.send(push(to: subject)) }
      let arrivals = subject.arrivals()
      try expectEqual(arrivals.count, 3, "arrivals")
      try expect(Set(arrivals.map(\.id)).count == 1, "the ID changed")
      try expect(Set(arrivals.map(\.payload)).count == 1, "the push changed")
    },
    Case(name: "a busy side is left alone for as long as it asks") { subject in
      subject.answer([.busy])
      let verdict = try await subject.channel.send(push(to: subject)).verdict
      try expect(
        [.retry(after: 9000), .busy(after: 9000)].contains(verdict), "verdict \(verdict)")
    },
    Case(name: "a broken connection means try again, with nothing of the push in the log") {
      subject in
      subject.answer([.silence])
      let answer = try await subject.channel.send(push(to: subject))
      try expectEqual(answer.verdict, .retry(after: nil), "verdict")
      try expectEqual(answer.status, nil, "status")
      try expect(!answer.reason.contains("secret"), "the reason has a secret: \(answer.reason)")
    },
    Case(name: "a device that is gone is reported as gone, with a time") { subject in
      subject.answer([.gone])
      let answer = try await subject.channel.send(push(to: subject))
      try expectEqual(answer.verdict, .gone(at: now), "verdict")
    },
    Case(name: "a push that is too large is answered so, and one refused for good as refused") {
      subject in
      subject.answer([.tooLarge, .refuse])
      let first = try await subject.channel.send(push(to: subject)).verdict
      let second = try await subject.channel.send(push(to: subject)).verdict
      try expectEqual(first, .tooLarge, "verdict")
      try expectEqual(second, .refused, "verdict")
    },
    Case(name: "the largest push makes a body of at most 4096 bytes") { subject in
      let payload = [UInt8](repeating: UInt8(ascii: "a"), count: subject.channel.payloadBytes)
      _ = try await subject.channel.send(push(to: subject, payload: payload))
      let size = subject.arrivals()[0].bytes
      try expect(size <= 4096, "\(size) bytes")
    },
    Case(name: "a device of another channel is refused, and nobody is called") { subject in
      let other = Device(key: subject.device.key, channel: .stream, registered: 0)
      let answer = try await subject.channel.send(push(to: subject, device: other))
      try expectEqual(answer.verdict, .refused, "verdict")
      try expectEqual(subject.arrivals(), [], "arrivals")
    },
    Case(name: "every peer takes something") { subject in
      try expect(subject.channel.peer(of: subject.device).limit > 0, "no room")
      let other = Device(key: subject.device.key, channel: .stream, registered: 0)
      try expect(subject.channel.peer(of: other).limit > 0, "no room")
    },
  ]

  /// When pushes are sent here.
  package static let now: Milliseconds = 1_795_176_000_000

  private static func push(
    to subject: Subject, device: Device? = nil, payload: [UInt8]? = nil
  ) -> OutgoingPush {
    var notification = Notification(
      id: "NID", in: ContainerEnvironment(subject.device.key.container, .development),
      scope: .private, subscriptionID: "s", user: subject.device.key.user,
      subject: .zone(ZoneID(name: "Notes")))
    notification.alert.literal = "Hello"
    return OutgoingPush(
      id: "0A0A0A0A-0000-8000-8000-000000000000", device: device ?? subject.device,
      notification: notification, payload: payload ?? Array(#"{"aps":{},"ck":{"secret":1}}"#.utf8),
      collapseID: nil, now: now, expires: now + 60_000)
  }
}
