// The devices that get a user's pushes, and how each is reached.
//
// A device is known by the client's own identifier, which its requests carry too, so that it never
// is notified of its own changes. It is registered when it opens a stream, asks for a courier token, hands in
// an Apple push token, or saves a subscription.

package import BrumeModel
package import BrumeStorage

/// The devices of users, and how each is reached.
package struct Devices: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let seal: Seal
  private let removals: DeviceRemovals

  init(_ parts: EngineParts) {
    removals = parts.deviceRemovals
    store = parts.store
    limits = parts.limits
    host = parts.host
    seal = parts.seal
  }

  /// Registers the caller's device for the event stream. A device that is reached in another way
  /// stays so; its mailbox is the same.
  ///
  /// - Throws: `authenticationRequired`, `badRequest` if the request names no device.
  @discardableResult
  package func register(as caller: Caller) async throws -> DeviceKey {
    let key = try Self.requireDevice(of: caller)
    let device = Device(key: key, channel: .stream, registered: host.now())
    let limits = limits
    let gone = try await store.write(for: caller, in: .account(key)) {
      try $0.devices.register(device, limits: limits)
    }
    removals.note(gone)
    return key
  }

  private static func requireDevice(of caller: Caller) throws(BrumeError) -> DeviceKey {
    guard let key = try caller.deviceKey() else {
      throw BrumeError(
        .badRequest,
        "the request names no device: send the header 'X-Brume-Device' or the parameter 'clientId'")
    }
    return key
  }

  /// Makes a push address for a client that has none of its own (case PSH-13).
  ///
  /// - Parameters:
  ///   - environment: where Apple's servers would send from; must be the caller's own.
  ///   - clientID: the device; nil for the caller's device, or a new one.
  /// - Returns: the token, 64 hex digits. It is valid for `Limits.courierSeconds`.
  /// - Throws: `badRequest` for another environment than the caller's.
  package func createCourierToken(
    environment: Environment, clientID: String?, as caller: Caller
  ) async throws -> String {
    guard environment == caller.environment else {
      throw BrumeError(
        .badRequest,
        "'apnsEnvironment' is \(environment.rawValue), but the request is for the container's "
          + "\(caller.environment.rawValue) environment; a courier token brings the pushes of the "
          + "environment in the path, so name that one")
    }
    let token = Hex.text(host.randomBytes(32))
    try await put(.courier(token: token), clientID, caller)
    return token
  }

  /// Registers a push token that the client got from Apple. A courier token of this server's own
  /// may be given too: given in another container it brings that one's notifications as well.
  ///
  /// - Parameter topic: which of the container's apps it is; nil for the first one.
  /// - Returns: the device, and what it may poll the courier with: pushes reach it both ways.
  /// - Throws: `authenticationRequired`, also for a session that has ended; `badRequest` for a text that is
  ///   too long, another user's courier token, and one that has as many containers as may be.
  @discardableResult
  package func registerToken(
    _ token: String, environment: Environment, topic: String? = nil, clientID: String?,
    as caller: Caller
  ) async throws -> RegisteredToken {
    let user = try caller.requireUser()
    guard (1...155).contains(topic?.utf8.count ?? 1) else {
      throw BrumeError(.badRequest, "'topic' must have 1 to 155 characters: the app's bundle ID")
    }
    guard (1...400).contains(token.utf8.count) else {
      throw BrumeError(.badRequest, "'apnsToken' must have 1 to 400 characters")
    }
    let own = try await store.read { try $0.devices.all(courierToken: token) }
    if let first = own.first {
      guard first.key.user == user else {
        throw BrumeError(
          .badRequest, "'apnsToken' is another user's courier token; create your own")
      }
      return RegisteredToken(
        device: try await share(token, of: own, clientID, caller), courierToken: token)
    }
    let device = try await put(
      .apns(token: token, environment: environment, topic: topic), clientID, caller)
    return RegisteredToken(device: device, courierToken: sealedCourierToken(to: device, at: token))
  }

  // CloudKit: a page with several containers asks for one token and registers it in the others.
  private func share(
    _ token: String, of devices: [Device], _ clientID: String?, _ caller: Caller
  ) async throws -> DeviceKey {
    let here = devices.first {
      $0.key.containerEnvironment == caller.containerEnvironment
    }
    if let here { return here.key }
    guard devices.count < limits.containersPerCourierToken else {
      throw BrumeError(
        .badRequest,
        "the courier token brings the notifications of \(devices.count) containers, the maximum; "
          + "create another")
    }
    return try await put(
      .courier(token: token), clientID ?? devices[0].key.device.name, caller,
      registered: devices[0].registered)
  }

  @discardableResult
  func put(
    _ channel: Device.Channel, _ clientID: String?, _ caller: Caller,
    registered: Milliseconds? = nil
  ) async throws -> DeviceKey {
    let id = try deviceID(clientID) ?? caller.device ?? DeviceID(host.uuid())
    let key = DeviceKey(in: caller.containerEnvironment, user: try caller.requireUser(), device: id)
    let device = Device(key: key, channel: channel, registered: registered ?? host.now())
    let limits = limits
    // Another user may have been reached at the same address.
    let gone = try await store.write(for: caller, in: .everything(of: store)) { transaction in
      let others = try transaction.devices.dropOthers(atAddressOf: device)
      try transaction.devices.put(device)
      return others + (try transaction.devices.dropOldest(besides: device, limits: limits))
    }
    removals.note(gone)
    return key
  }

  private func deviceID(_ clientID: String?) throws(BrumeError) -> DeviceID? {
    guard let clientID, !clientID.isEmpty else { return nil }
    try NameRules.device(clientID, limits: limits)
    return DeviceID(clientID)
  }

  /// Forgets the caller's device and its mailbox, and ends its streams.
  ///
  /// - Throws: `authenticationRequired`, `badRequest` if the request names no device.
  package func unregister(as caller: Caller) async throws {
    let key = try Self.requireDevice(of: caller)
    try await store.write(for: caller, in: .account(key).and(.server)) {
      try $0.devices.remove(key)
    }
    removals.note([key])
  }

  /// The devices whose mailboxes a courier token opens; none for an unknown one.
  ///
  /// - Throws: what the transaction throws.
  package func opened(
    by text: String, in transaction: any ReadTransaction
  ) throws -> [Device] {
    guard let bytes = seal.payload(of: text, for: .sealedCourierToken),
      let token = SealedCourierToken(bytes)
    else { return try transaction.devices.all(courierToken: text) }
    guard let device = try transaction.devices.find(token.device),
      case .apns(token.address, _, _) = device.channel
    else { return [] }
    return [device]
  }

  /// - Parameter address: the device's push token.
  func sealedCourierToken(to device: DeviceKey, at address: String) -> String {
    seal.text(SealedCourierToken(device: device, address: address).bytes, for: .sealedCourierToken)
  }
}

extension Caller {
  /// The mailbox of the device that asks; nil if the request names none.
  ///
  /// - Throws: `authenticationRequired`.
  package func deviceKey() throws(BrumeError) -> DeviceKey? {
    let user = try requireUser()
    return device.map {
      DeviceKey(in: containerEnvironment, user: user, device: $0)
    }
  }
}
