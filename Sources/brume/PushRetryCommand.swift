// brume push retry: what failed is sent again now, instead of when its pause ends.

import ArgumentParser
import BrumeWire

extension PushCommand {
  struct Retry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send again now what failed, instead of when its pause ends.",
      discussion: """
        After a failure the server waits, from a second to ten minutes, or as long as the other side asked for: \
        'brume push log' has these attempts as 'retry'. When what was in the way is mended, nobody has to wait. \
        It is the server that is asked that sends; with several on one database each has its own pauses.
        """)
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Option(help: "Only to devices of this user: a sign-in name.") var user: String?
    @Option(help: "Only to this device or webhook.") var device: String?

    func run() async throws {
      var body = JSONObject()
      body["user"] = user.map { .string($0) }
      body["device"] = device.map { .string($0) }
      let retried = try await server.connect().post("push/retry", .object(body))
      answer.show(retried, said: Self.sentence(retried["retried"]?.int ?? 0))
    }

    private static func sentence(_ count: Int64) -> String {
      count == 0
        ? "nothing waits after a failure; 'brume devices list' shows what waits to be fetched"
        : "sending again to \(count) device\(count == 1 ? "" : "s") or webhook\(count == 1 ? "" : "s")"
    }
  }
}
