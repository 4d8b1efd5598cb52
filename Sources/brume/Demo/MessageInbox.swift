// The inbox sorts a device's lines into answers, pushes and reactions, and lets the director wait for each.

import Foundation
import Synchronization

final class MessageInbox: Sendable {
  enum Box: Hashable, Sendable { case answers, pushes, reactions }
  private struct State {
    var waiting: [Box: [DeviceMessage]] = [:]
    var readers: [Box: CheckedContinuation<DeviceMessage, Never>] = [:]
    var hasEnded = false
  }
  /// How long the director waits for anything before it calls the demo failed.
  static let timeout: Duration = .seconds(30)
  private let state = Mutex(State())

  var waitingPushes: [Push] {
    state.withLock { state in
      (state.waiting[.pushes] ?? []).compactMap {
        if case .push(let push) = $0 { push } else { nil }
      }
    }
  }

  /// Reads lines until the device closes its end.
  func read(_ handle: FileHandle) {
    var buffer = Data()
    while case let chunk = handle.availableData, !chunk.isEmpty {
      buffer += chunk
      while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[buffer.startIndex..<end]
        buffer = Data(buffer[buffer.index(after: end)...])
        if let (box, message) = Self.message(Data(line)) { deliver(message, to: box) }
      }
    }
    end()
  }

  func next(on box: Box, from device: String, after what: String) async throws -> DeviceMessage {
    let message = await withTaskGroup(of: DeviceMessage?.self) { group in
      group.addTask { await self.take(box) }
      group.addTask {
        try? await Task.sleep(for: Self.timeout)
        return nil
      }
      let first = await group.next() ?? nil
      if first == nil { self.giveUp(box) }
      group.cancelAll()
      return first
    }
    switch message {
    case .none: throw DemoFailure("\(device): nothing came within \(Self.timeout) (\(what))")
    case .ended: throw DemoFailure("\(device): the device process ended (\(what))")
    case .some(let message): return message
    }
  }

  private func take(_ box: Box) async -> DeviceMessage {
    await withCheckedContinuation { reader in
      let ready: DeviceMessage? = state.withLock { state in
        if var queue = state.waiting[box], !queue.isEmpty {
          let first = queue.removeFirst()
          state.waiting[box] = queue
          return first
        }
        if state.hasEnded { return .ended }
        state.readers[box] = reader
        return nil
      }
      if let ready { reader.resume(returning: ready) }
    }
  }

  private func deliver(_ message: DeviceMessage, to box: Box) {
    let reader = state.withLock { state in
      if let reader = state.readers.removeValue(forKey: box) { return Optional(reader) }
      state.waiting[box, default: []].append(message)
      return nil
    }
    reader?.resume(returning: message)
  }

  private func giveUp(_ box: Box) {
    state.withLock { $0.readers.removeValue(forKey: box) }?.resume(returning: .ended)
  }

  private func end() {
    let readers = state.withLock { state in
      state.hasEnded = true
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    for reader in readers { reader.resume(returning: .ended) }
  }

  private static func message(_ line: Data) -> (Box, DeviceMessage)? {
    guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else {
      return nil
    }
    if let text = object["reply"] as? String { return (.answers, .reply(text)) }
    if let code = object["error"] as? Int {
      return (.answers, .failure(code: code, text: object["text"] as? String ?? ""))
    }
    if let text = object["reaction"] as? String { return (.reactions, .reaction(text)) }
    if let payload = object["push"] as? [String: Any] { return (.pushes, .push(Push(payload))) }
    return nil
  }
}
