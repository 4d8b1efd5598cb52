// brume bench apns: how many pushes a second the sender gets through one HTTP/2 connection. The other side
// is any HTTP/2 server with TLS, for instance `nghttpd` from Debian's nghttp2-server.

import ArgumentParser
import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeServer
import BrumeWire

extension BenchCommand {
  struct APNs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "apns",
      abstract: "How many pushes a second go through one connection.",
      discussion: "Every answer counts, whatever its status; a missing answer fails the run.")
    @Argument(help: "The other side, like https://localhost:8443.") var url: String
    @Option(help: "A PEM file with the root that signed its certificate.") var trust: String?
    @Option(help: "How many pushes.") var pushes = 50_000
    @Option(help: "How many under way at once.") var concurrency = 500
    @Option(help: "A .p8 file to sign with.") var keyFile: String
    @Flag(help: "Print a JSON object.") var json = false

    func run() async throws {
      let pem = try GivenFile.content(of: keyFile, "the key file")
      let clients = OutsideClients(
        timeout: 30, trust: trust, sleep: { try await Task.sleep(for: $0) })
      let bench = APNsBench(
        url: url, key: String(decoding: pem, as: UTF8.self),
        exchange: { try await clients.send($0) })
      let clock = ContinuousClock()
      // The first push opens the connection.
      _ = try await bench.send(1, concurrency: 1)
      let start = clock.now
      let statuses = try await bench.send(pushes, concurrency: concurrency)
      let seconds = (clock.now - start) / .seconds(1)
      await clients.close()
      show(statuses, Double(pushes) / seconds)
    }

    private func show(_ statuses: [Int: Int], _ rate: Double) {
      let answers = statuses.sorted { $0.key < $1.key }
      guard json else {
        let counts = answers.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
        return Output.line("\(Int(rate)) pushes/s, \(concurrency) at once; answers: \(counts)")
      }
      let members = answers.map {
        JSONObject.Member(key: "\($0.key)", value: .int(Int64($0.value)))
      }
      Output.line(
        JSON(
          dictionaryLiteral: ("pushesPerSecond", .int(Int64(rate))),
          ("concurrency", .int(Int64(concurrency))),
          ("answers", .object(JSONObject(uniqueMembers: members)))
        ).bytes())
    }
  }
}

/// The sender with one device, as the delivery worker uses it.
private struct APNsBench: Sendable {
  let channel: APNsChannel
  let device: Device
  let notification: Notification
  let payload: [UInt8]

  init(url: String, key: String, exchange: @escaping OutsideExchange) {
    var hosts = APNsChannel.Hosts()
    hosts.production = url
    let containerEnvironment = ContainerEnvironment(
      ContainerID("iCloud.org.example.bench"), .production)
    let sender = APNsSender(
      container: containerEnvironment.container, topic: "org.example.app", team: "TEAM123456",
      keyID: "KEY1234567",
      privateKey: key)
    channel = APNsChannel(
      hosts: hosts, concurrency: 1, senders: { _ in [sender] },
      exchange: exchange)
    device = Device(
      key: DeviceKey(in: containerEnvironment, user: UserID("_a"), device: DeviceID("phone")),
      channel: .apns(
        token: String(repeating: "ab", count: 32), environment: .production, topic: nil),
      registered: 0)
    var notification = Notification(
      id: "6F1C3B1E-0A3C-8F5D-9A51-0C1F0D2E3A4B", in: containerEnvironment, scope: .private,
      subscriptionID: "new-notes",
      user: UserID("_0123456789abcdef0123456789abcdef"),
      subject: .query(
        zone: ZoneID(name: "Notes", ownerName: "_0123456789abcdef0123456789abcdef"),
        recordName: "9C1B5C6E-4C0B-4F0A-8E0B-3F6A1D2C4B5A", reason: .created, fields: [:]))
    notification.alert.literal = "A new note was shared with you"
    notification.badge = 3
    self.notification = notification
    payload = PushPayload.encode(notification)
  }

  /// How often each status came.
  func send(_ count: Int, concurrency: Int) async throws -> [Int: Int] {
    try await withThrowingTaskGroup(of: [Int: Int].self) { group in
      let shares = min(concurrency, count)
      for index in 0..<shares {
        let share = count / shares + (index < count % shares ? 1 : 0)
        group.addTask(operation: { try await sendInTurn(share) })
      }
      var all: [Int: Int] = [:]
      for try await part in group { all.merge(part) { $0 + $1 } }
      return all
    }
  }

  private func sendInTurn(_ count: Int) async throws -> [Int: Int] {
    var statuses: [Int: Int] = [:]
    for _ in 0..<count {
      let answer = try await channel.send(
        OutgoingPush(
          id: "0A0A0A0A-0000-8000-8000-000000000000", device: device, notification: notification,
          payload: payload, collapseID: nil, now: 1_795_176_000_000, expires: 1_795_179_600_000))
      guard let status = answer.status else {
        throw CommandFailure("no answer from the other side: \(answer.reason)")
      }
      statuses[status, default: 0] += 1
    }
    return statuses
  }
}
