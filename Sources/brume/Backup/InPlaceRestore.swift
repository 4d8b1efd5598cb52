// brume restore into the server that runs: the file is sent, the server checks it and writes it beside its data, and
// when somebody agrees it starts anew on that. How far it is, is asked for now and then.

import BrumeClient
import BrumeModel
import BrumeServer
import BrumeWire
import Foundation

struct InPlaceRestore {
  private let access: ServerAccess
  private let token: String
  private let progress: TerminalProgress
  private let answer: AnswerOption
  private let transport = ProgramTransport()
  private static let path = "/_brume/admin/backups/restore"
  private static let pause = Duration.milliseconds(200)
  /// Ours: how long the server may take to start anew before somebody should look.
  private static let patience = Duration.seconds(120)

  /// - Throws: `StatusFailure` if no server or no admin token is named.
  init(_ access: ServerAccess, progress: TerminalProgress, answer: AnswerOption) throws {
    self.access = access
    token = try access.requiredToken()
    self.progress = progress
    self.answer = answer
  }

  /// - Parameter agrees: asked with what is in the backup, before anything is changed.
  func run(_ file: String, agrees: (BackupSummary) throws -> Bool) async throws {
    let before = try await progress.during("the server is asked") { try await report() }
    if let obstacle = before.obstacle { throw StatusFailure(.cannotCreate, obstacle) }
    let (sent, backup) = try await progress.during("sending it") { try await arrived(file) }
    guard try agrees(backup) else {
      _ = try await ask("POST", "/remove", ["id": .string(sent)])
      throw CommandFailure("nothing was changed")
    }
    let applied = try Wire.restore(try await ask("POST", "/apply", ["id": .string(sent)]))
    let facts: JSON = [
      "backup": .string(backup.id), "rows": .int(Int64(backup.rows)),
      "assets": .int(Int64(backup.assets)), "restarts": .bool(applied.restarts),
    ]
    guard applied.restarts else {
      return answer.show(
        facts, ["the backup is taken up by the next start of the server: restart it"])
    }
    try await progress.during("the server starts anew") { try await waitForStart(sent) }
    answer.show(
      facts,
      [
        "the server runs on the backup: \(backup.rows) rows and \(backup.assets) assets; what it had before is in "
          + "the folder 'replaced' of its data, until the next restore"
      ])
  }

  // MARK: Steps

  /// Sends it and waits until the server has checked and written it. The server does not know what the file is called.
  private func arrived(_ file: String) async throws -> (id: String, backup: BackupSummary) {
    do {
      let id = try await send(file)
      return (id, try await ready(id))
    } catch let failure as StatusFailure where failure.status == .data {
      throw StatusFailure(.data, "'\(file)': \(failure.description)")
    }
  }

  /// Answers the ID under which the server has it.
  private func send(_ file: String) async throws -> String {
    let outgoing: OutgoingFile
    do { outgoing = try OutgoingFile(URL(fileURLWithPath: file)) } catch {
      throw StatusFailure(.noInput, "the file '\(file)' cannot be read")
    }
    let size = outgoing.state.size
    var request = call("POST", "")
    request.headers.append(.init("Content-Type", "application/octet-stream"))
    let answer: HTTPAnswer
    do {
      answer = try await transport.upload(request, outgoing) { sent in
        progress.show("sending it", sent, of: size)
      }
    } catch is CallFailure {
      throw StatusFailure(
        .again, "the connection to \(access.url) broke; the server is as it was: repeat the command"
      )
    } catch is OutgoingFile.Failure {
      throw StatusFailure(.data, "it changed while it was sent")
    }
    let report = try Wire.restore(try checked(answer))
    guard let id = report.status?.id else { throw access.noServer }
    return id
  }

  /// Waits until the server has checked and written it.
  private func ready(_ id: String) async throws -> BackupSummary {
    while true {
      let status = try await report().status
      guard let status, status.id == id else {
        throw StatusFailure(.again, "the backup was thrown away; the server is as it was")
      }
      switch status.step {
      case .ready(let backup), .applied(let backup): return backup
      case .failed(let reason): throw StatusFailure(.data, reason)
      case .receiving: break
      case .checking(let bytes, let all):
        progress.show("the server checks it", bytes, of: all)
      case .writing(let rows, let bytes):
        progress.show(
          "the server writes it: " + (bytes > 0 ? TerminalProgress.bytes(bytes) : "\(rows) rows"))
      }
      try await Task.sleep(for: Self.pause)
    }
  }

  /// The server that starts anew may not know this token: that shows as well that it is there.
  private func waitForStart(_ id: String) async throws {
    let end = ContinuousClock.now + Self.patience
    while ContinuousClock.now < end {
      progress.show("the server starts anew")
      try await Task.sleep(for: Self.pause)
      guard let answer = try? await transport.send(try anew()) else { continue }
      if [401, 403].contains(answer.status) { return progress.end() }
      guard answer.status == 200, let json = try? JSON(parsing: answer.body),
        let report = try? Wire.restore(json)
      else { continue }
      if report.status?.id != id { return progress.end() }
    }
    throw StatusFailure(
      .unavailable,
      "the server has not come back; its log says why. It goes on with the restore when it starts")
  }

  // MARK: Calls

  private func report() async throws -> RestoreReport {
    try Wire.restore(try await ask("GET", ""))
  }

  /// A server that is named by its folder has another token after a start.
  private func anew() throws -> HTTPCall {
    let now = try access.anew()
    return call("GET", "", at: now.url, now.adminToken ?? token)
  }

  private func call(_ method: String, _ target: String, _ body: [UInt8] = []) -> HTTPCall {
    call(method, target, at: access.url, token, body)
  }

  private func call(
    _ method: String, _ target: String, at url: String, _ token: String, _ body: [UInt8] = []
  ) -> HTTPCall {
    HTTPCall(
      method: method, base: url, target: Self.path + target,
      headers: [.init("Authorization", "Bearer \(token)")], body: body, timeout: .seconds(60),
      trust: access.trust)
  }

  private func ask(_ method: String, _ target: String, _ body: JSON? = nil) async throws -> JSON {
    do {
      return try checked(try await transport.send(call(method, target, body?.bytes() ?? [])))
    } catch is CallFailure {
      throw access.silence
    }
  }

  private func checked(_ answer: HTTPAnswer) throws -> JSON {
    guard let json = try? JSON(parsing: answer.body) else { throw access.noServer }
    if answer.isSuccess { return json }
    let error = Wire.error(json)
    let status: ExitStatus =
      switch error.code {
      case .authenticationFailed, .authenticationRequired, .missingEntitlement, .accessDenied:
        .noPermission
      case .quotaExceeded: .disk
      case .throttled, .tryAgainLater: .again
      case .badRequest: .data
      default: answer.status < 500 ? .unavailable : .software
      }
    throw StatusFailure(status, error.reason)
  }
}
