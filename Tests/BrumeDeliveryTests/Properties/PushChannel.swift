// The five ways by which a push leaves, what arrives at their ends, and the other sides of those that
// are sent to: Apple, a browser's push service, a webhook's receiver.

import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeWire
import Crypto
import Synchronization
import Testing

enum PushChannel: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case stream, poll, apns, webPush, webhook
  var testDescription: String { rawValue }

  /// Those that lead to a user's device, through a mailbox.
  static let devices: [PushChannel] = [.stream, .poll, .apns, .webPush]
  /// Those where the device comes and fetches.
  static let fetching: [PushChannel] = [.stream, .poll]
}

/// A push as it was read at the other end.
struct ReceivedPush: Equatable, Sendable {
  var nid: String
  let sid: String
  /// Of the record, or of the zone.
  let name: String
  let text: String
  let badge: Int?
  let isFetchEverything: Bool
  let isPruned: Bool
  let fields: [String]
  /// Of the payload, or of the encrypted body.
  let bytes: Int

  /// From the `aps` and `ck` dictionaries, in the stream's form or the courier's.
  init(push: [UInt8], bytes: Int? = nil) throws {
    let json = try JSON(parsing: push)
    let ck = json["ck"]
    let subject = ["qry", "fet", "met"].lazy.compactMap { ck?[$0] }.first
    nid = ck?["nid"]?.string ?? ""
    sid = subject?["sid"]?.string ?? ""
    name = subject?["rid"]?.string ?? subject?["zid"]?.string ?? ""
    text = json["aps"]?["alert"]?["body"]?.string ?? ""
    badge = json["aps"]?["badge"]?.int.map { Int($0) }
    isFetchEverything = subject == nil
    isPruned = ck?["p"] != nil
    fields = (subject?["af"]?.object.map { Array($0.members.map(\.key)) } ?? []).sorted()
    self.bytes = bytes ?? push.count
  }

  /// One change in a webhook's call; nil stands for changes that are lost.
  init(change: JSON?, bytes: Int) {
    nid = change?["id"]?.string ?? ""
    sid = ""
    name = change?["recordName"]?.string ?? ""
    (text, badge, isPruned, fields) = ("", nil, false, [])
    isFetchEverything = change == nil
    self.bytes = bytes
  }
}

/// Everybody whom the server calls: takes everything and remembers what came, in order.
final class OtherEnds: Sendable {
  /// By the last part of the address: a device's token, or the receiver's name.
  private let planned = Mutex<[Int]>([])
  private let arrived = Mutex<[String: [ReceivedPush]]>([:])
  let browser = P256.KeyAgreement.PrivateKey()
  let secret = [UInt8](repeating: 3, count: 16)

  /// What the next calls are answered instead; what they bring is not taken.
  func plan(_ statuses: [Int]) { planned.withLock { $0 = statuses } }

  func received(at end: String) -> [ReceivedPush] { arrived.withLock { $0[end] ?? [] } }

  func take(_ call: OutsideCall, by pushChannel: PushChannel) throws -> OutsideReply {
    let status = planned.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if let status { return OutsideReply(status: status) }
    let new: [ReceivedPush]
    switch pushChannel {
    case .stream, .poll: preconditionFailure("nobody is called there")
    case .apns: new = [try ReceivedPush(push: call.body)]
    case .webPush: new = [try ReceivedPush(push: decrypted(call.body), bytes: call.body.count)]
    case .webhook:
      let json = try JSON(parsing: call.body)
      let lost =
        json["missed"]?.bool == true ? [ReceivedPush(change: nil, bytes: call.body.count)] : []
      let changes = (json["changes"]?.array ?? []).filter { $0["recordName"] != nil }
      new = lost + changes.map { ReceivedPush(change: $0, bytes: call.body.count) }
    }
    let end = call.url.split(separator: "/").last.map(String.init) ?? ""
    arrived.withLock { $0[end, default: []] += new }
    return OutsideReply(status: pushChannel == .webPush ? 201 : 200)
  }

  /// As a browser does, by RFC 8291.
  private func decrypted(_ body: [UInt8]) throws -> [UInt8] {
    let (salt, rest) = (Array(body[..<16]), body[86...])
    let server = Array(body[21..<86])
    let shared = try browser.sharedSecretFromKeyAgreement(
      with: P256.KeyAgreement.PublicKey(x963Representation: server))
    let own = Array(browser.publicKey.x963Representation)
    let ikm = shared.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: secret, sharedInfo: Array("WebPush: info\0".utf8) + own + server,
      outputByteCount: 32)
    func derive(_ info: String, _ count: Int) -> SymmetricKey {
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: ikm, salt: salt, info: Array("Content-Encoding: \(info)\0".utf8),
        outputByteCount: count)
    }
    let nonce = derive("nonce", 12).withUnsafeBytes { Array($0) }
    let box = try AES.GCM.SealedBox(
      nonce: AES.GCM.Nonce(data: nonce), ciphertext: rest.dropLast(16), tag: rest.suffix(16))
    return Array(try AES.GCM.open(box, using: derive("aes128gcm", 16)).dropLast())
  }
}
