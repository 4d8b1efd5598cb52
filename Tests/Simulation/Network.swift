// The way of one device to the server: the real client's transport. Messages take their time; while there
// are faults, they get lost, come twice, or find nobody.

import BrumeClient
import BrumeServer
import BrumeTestKit
import Foundation

/// Sendable because a simulation has one thread.
final class SimulatedTransport: Transport, @unchecked Sendable {
  unowned let world: World
  unowned let device: Device
  private let token: String
  private let encodedToken: String
  var isSignedIn = true
  /// The app that used it was killed.
  var isDead = false
  /// No connection until this time.
  var isCutUntil: Int64 = 0
  private var streams: [Int: () -> Void] = [:]
  private var lastStream = 0

  init(_ world: World, _ device: Device, token: String) {
    self.world = world
    self.device = device
    self.token = token
    encodedToken = Self.encoded(token)
  }

  /// No connection for so long; what is open breaks.
  func cut(for milliseconds: Int64) {
    isCutUntil = world.now + milliseconds
    for stream in streams.sorted(by: { $0.key < $1.key }) { stream.value() }
  }

  private func checkConnection() throws {
    if isDead { throw CancellationError() }
    if world.now < isCutUntil { throw CallFailure.unreachable("no network") }
    if world.nodes.allSatisfy({ $0.process == nil }) {
      throw CallFailure.unreachable("nobody listens")
    }
  }

  private func travel() async throws {
    // Mostly quick; now and then much later than what was sent after it.
    let slow = world.chance.one(in: 12) && !world.isCalm
    await world.sleep(Int64(1 + world.chance.next(below: slow ? 600 : 25)))
    if isDead { throw CancellationError() }
  }

  func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    try Task.checkCancellation()
    try checkConnection()
    let exchange = Exchange(device, call)
    world.happened("\(device.name) asks for \(exchange.scope) \(exchange.action)")
    world.note("\(device.name) > \(exchange.scope) \(exchange.action) \(shown(call.body))")
    try await travel()
    if world.happens(onceIn: 15) {
      world.note("\(device.name) lost request \(exchange.action)")
      throw world.chance.one(in: 2)
        ? CallFailure.responseLost("lost") : CallFailure.connectionFailed("lost")
    }
    try checkConnection()
    if world.happens(onceIn: 20) {
      world.note("\(device.name) doubled \(exchange.action)")
      let second = Exchange(device, call)
      Task {
        _ = try? await self.answer(call, second)
        if second.isModify { await device.hand.copyArrived() }
      }
    }
    let answer = try await self.answer(call, exchange)
    world.note(
      "\(device.name) < \(answer.status) \(exchange.action) \(shown(answer.body))")
    try await travel()
    if world.happens(onceIn: 15) || world.now < isCutUntil {
      world.note("\(device.name) lost answer \(exchange.action)")
      throw CallFailure.responseLost("lost")
    }
    return answer
  }

  private func answer(_ call: HTTPCall, _ exchange: Exchange) async throws -> HTTPAnswer {
    guard let server = world.someServer() else { throw CallFailure.unreachable("nobody listens") }
    if let answer = world.tamperedAnswer(to: exchange) {
      world.oracle.answered(exchange, answer.status, answer.body, isCancelled: Task.isCancelled)
      return answer
    }
    let (call, other) = world.tampered(call, exchange)
    let (target, headers) = (
      target(of: call, exchange, other ?? token), call.headers.map { ($0.name, $0.value) }
    )
    let answer = try await server.answer {
      try await Exchange.$current.withValue(exchange) {
        try await server.inProcess.send(
          method: call.method, target: target, headers: headers, body: call.body)
      }
    }
    server.superviseStorage()
    guard server.isAlive else { throw CallFailure.responseLost("the server was killed") }
    var body = answer.body
    world.tamper(&body, exchange)
    world.oracle.answered(exchange, answer.status, body, isCancelled: Task.isCancelled)
    return HTTPAnswer(
      status: answer.status, headers: answer.headers.map { HTTPCall.Header($0.name, $0.value) },
      body: body)
  }

  private func shown(_ body: [UInt8]) -> String {
    world.order.isVerbose ? String(decoding: body.prefix(1500), as: UTF8.self) : ""
  }

  /// The request with the token of whoever was signed in when it was made.
  private func target(of call: HTTPCall, _ exchange: Exchange, _ token: String) -> String {
    guard let range = call.target.range(of: "ckWebAuthToken=account", options: .literal) else {
      return call.target
    }
    let encoded = token == self.token ? encodedToken : Self.encoded(token)
    return call.target.replacingCharacters(
      in: range, with: exchange.user == nil ? "none=1" : "ckWebAuthToken=\(encoded)")
  }

  private static func encoded(_ token: String) -> String {
    token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  // MARK: Streams

  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    try Task.checkCancellation()
    try checkConnection()
    try await travel()
    try checkConnection()
    guard let server = world.someServer() else { throw CallFailure.unreachable("nobody listens") }
    let (pieces, sink) = AsyncStream<[UInt8]>.makeStream()
    let exchange = Exchange(device, call)
    let target = world.tampered(stream: target(of: call, exchange, token))
    let headers = call.headers.map { ($0.name, $0.value) }
    let (method, events) = (call.method, DeviceStream(device, call.target))
    world.oracle.opens(events)
    let refusal = Box<HTTPAnswer>()
    let ended = Box<Bool>()
    let listening = Task {
      defer { sink.finish() }
      do {
        let answer = try await server.answer {
          try await Exchange.$current.withValue(exchange) {
            try await server.inProcess.receive(method: method, target: target, headers: headers) {
              sink.yield(Array($0))
            }
          }
        }
        server.superviseStorage()
        ended.value = server.isAlive && !Task.isCancelled
        refusal.value = answer.map { answer in
          HTTPAnswer(
            status: answer.status,
            headers: answer.headers.map { HTTPCall.Header($0.name, $0.value) }, body: answer.body)
        }
      } catch {}
    }
    lastStream += 1
    let number = lastStream
    streams[number] = {
      listening.cancel()
      sink.finish()
    }
    defer { streams[number] = nil }
    world.note("\(device.name) listens after \(events.cursor)")
    return try await withTaskCancellationHandler {
      for await piece in pieces {
        try await travel()
        if world.now < isCutUntil { throw CallFailure.connectionFailed("cut") }
        if world.happens(onceIn: 12) {
          listening.cancel()
          world.note("\(device.name) lost its stream")
          throw CallFailure.connectionFailed("the stream broke")
        }
        let piece = world.tampered(piece)
        if world.losesPush(piece) { continue }
        world.oracle.received(piece, events)
        try await take(piece[...])
        if world.happens(onceIn: 10) { try await take(piece[...]) }
      }
      try Task.checkCancellation()
      world.note("\(device.name) stream ended")
      if ended.value != true { throw CallFailure.connectionFailed("the stream ended") }
      return refusal.value
    } onCancel: {
      listening.cancel()
      sink.finish()
    }
  }

  func upload(
    _ call: HTTPCall, _ file: OutgoingFile, progress: (Int64) async -> Void
  ) async throws -> HTTPAnswer {
    throw CallFailure.unreachable("no files here")
  }

  func download(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    throw CallFailure.unreachable("no files here")
  }
}
