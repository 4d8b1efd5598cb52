// What servers answer that are not ours to trust: push services, webhooks, buckets, and to a client the server or a proxy
// before it. And the files that a server keeps beside its store.

import BrumeAssets
import BrumeClient
import BrumeModel
import BrumePush
import BrumeServer
import BrumeWire

extension Target {
  /// Of an answer: its status, `Retry-After`, and the body.
  static let outside = [
    Target("answer", longest: 512) { bytes in
      let parts = parts(bytes, 3)
      let reply = OutsideReply(
        status: Int(text(parts[0])) ?? 503, retryAfter: parts.count > 1 ? text(parts[1]) : nil,
        body: parts.count > 2 ? parts[2] : [])
      readOfServices(reply)
      readOfServer(reply)
      let body = text(reply.body)
      _ = (S3List.keys(in: body), S3List.value(of: "Code", in: body[...]))
    },
    Target("file", longest: 1024) { bytes in
      ServerReaders.readFile(bytes, now: now)
    },
  ]

  private static let now: Milliseconds = 1_795_176_000_000

  private static func readOfServices(_ reply: OutsideReply) {
    _ = APNsStatus.answer(reply, now: now)
    _ = WebPushStatus.answer(reply, now: now)
    _ = WebhookChannel.answer(reply, now: now)
    if let pause = reply.pause(at: now), pause < 0 { wrong("a pause is negative") }
  }

  /// An app's client, and what waits as long as it is asked to.
  private static func readOfServer(_ reply: OutsideReply) {
    let headers = reply.retryAfter.map { [HTTPCall.Header("Retry-After", $0)] } ?? []
    do {
      _ = try Session.read(HTTPAnswer(status: reply.status, headers: headers, body: reply.body))
    } catch {
      guard let wait = (error as? BrumeError)?.retryAfter else { return }
      var backoff = Backoff()
      guard Duration.seconds(wait) >= .zero, backoff.next(chance: 0, atLeast: wait) > .zero else {
        wrong("a client is asked to wait for less than nothing")
      }
    }
  }
}
