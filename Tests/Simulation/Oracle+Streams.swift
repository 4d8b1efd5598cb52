// Streams of pushes: what a device has acknowledged does not come again, each push comes under one position, and there
// are no more of them than changes that others made.

import BrumeModel
import BrumeServer
import BrumeStorage
import Foundation

/// The events of one stream, as they come.
/// Sendable because a simulation has one thread.
final class DeviceStream: @unchecked Sendable {
  let device: Device
  /// What the device says that it has.
  let cursor: Int64
  /// Nothing up to here may come.
  fileprivate var last: Int64 = 0

  /// - Parameter target: of the request that opens it.
  init(_ device: Device, _ target: String) {
    self.device = device
    let query = target.split(separator: "?").last?.split(separator: "&") ?? []
    let text = query.first { $0.hasPrefix("cursor=") }?.dropFirst("cursor=".count)
    cursor = text.map { Self.position(String($0)) } ?? 0
  }

  /// The position in an event's ID.
  static func position(_ id: String) -> Int64 {
    id.split(separator: "-").last.flatMap { Int64($0) } ?? 0
  }
}

/// What logs say and what devices got.
struct PushCounts {
  /// How many entries of the log are of a zone, by the devices that made them.
  private var logged: [ZoneName: [String: Int]] = [:]
  /// Positions of pushes, by device and what they are of.
  private var positions: [String: Set<Int64>] = [:]
  /// Where each push stands, by device, ID and subscription.
  fileprivate var places: [String: Int64] = [:]
  /// What each device has acknowledged.
  fileprivate var acknowledged: [String: Int64] = [:]

  mutating func log(_ entry: LogEntry) {
    guard let zone = entry.event.zone, let owner = zone.database.owner else { return }
    let name = ZoneName(owner: owner.name, name: zone.name)
    logged[name, default: [:]][entry.origin.device?.name ?? "", default: 0] += 1
  }

  /// How many entries others made; nil: of any zone.
  func others(than device: String, in zone: ZoneName?) -> Int {
    logged.filter { zone == nil || $0.key == zone }.values.reduce(0) { sum, counts in
      sum + counts.filter { $0.key != device }.values.reduce(0, +)
    }
  }

  /// How many pushes a device got of something, with this one.
  mutating func count(_ position: Int64, _ what: String) -> Int {
    positions[what, default: []].insert(position)
    return positions[what]?.count ?? 0
  }
}

extension Oracle {
  /// A device asks for a stream.
  func opens(_ stream: DeviceStream) {
    stream.last = counts.acknowledged[stream.device.name] ?? 0
  }

  /// A server was notified how far a device is.
  func acknowledged(_ cursor: Int64, by device: Device) {
    counts.acknowledged[device.name] = max(counts.acknowledged[device.name] ?? 0, cursor)
  }

  /// A piece of a stream has arrived.
  func received(_ piece: [UInt8], _ stream: DeviceStream) {
    let device = stream.device
    pushes.listening[device.name] = pushes.listening[device.name] ?? world.now
    acknowledged(stream.cursor, by: device)
    stream.last = max(stream.last, stream.cursor)
    var position: Int64 = 0
    for line in String(decoding: piece, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("id: ") { position = DeviceStream.position(String(line)) }
      guard line.hasPrefix("data:"),
        let payload = try? JSONSerialization.jsonObject(with: Data(line.dropFirst(5).utf8)),
        let ck = (payload as? [String: Any])?["ck"] as? [String: Any]
      else { continue }
      world.happened("\(device.name) gets a push")
      judge(position, ck, stream)
      pushed(ck, device)
    }
  }

  /// Changes after which a mailbox may be full. By hand alice has as many subscriptions again as her engine.
  private var fewest: Int { world.settings.limits.mailboxRows / 4 }

  private func judge(_ position: Int64, _ ck: [String: Any], _ stream: DeviceStream) {
    let device = stream.device.name
    if position <= stream.last {
      world.fail("\(device) got the push \(position), and was at \(stream.last) already")
    }
    stream.last = max(stream.last, position)
    let subject = ["qry", "fet", "met"].lazy.compactMap { ck[$0] as? [String: Any] }.first
    let subscription = subject?["sid"] as? String ?? ""
    let place = "\(device) \(ck["nid"] ?? "") \(subscription)"
    // Once the disk's clock was set back, what a machine that has not looked at it yet takes for due is moved by another one,
    // for which it still waits: then it comes again under its own ID.
    if let old = counts.places.updateValue(position, forKey: place), old != position,
      !world.disk.wasSetBack
    {
      world.fail("\(device) got a push at \(old), and again at \(position)")
    }
    let zone = (subject?["zid"] as? String).flatMap { name in
      (subject?["zoid"] as? String).map { ZoneName(owner: $0, name: name) }
    }
    let most = counts.others(than: device, in: zone)
    let count = counts.count(position, "\(device) \(subscription) \(zone?.description ?? "")")
    if count > most {
      world.fail(
        "\(device) got \(count) pushes of \(zone?.description ?? "everything") for \(subscription), after "
          + "\(most) changes by others")
    }
    if let subject { receivedWatch(subject, subscription, zone, at: position, device) }
    if subject == nil, most < fewest {
      world.fail("\(device) is to fetch everything after \(most) changes by others")
    }
  }
}
