// For `brume backup`: snapshots of all rows, and the bytes of assets. Who has the admin token may read all of it,
// with every secret of the store. And one user's data, as `brume export` writes it.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire
import HTTPTypes
import HummingbirdCore
import NIOCore

struct BackupAdmin: Sendable {
  let snapshots: Snapshots
  /// Where the rows are.
  let engine: String
  let assets: any AssetStore
  let users: NamedUsers
  let downloads: AssetDownloads

  func begin(_ call: Call) async throws -> Reply {
    var object = JSONObject()
    object["id"] = .string(try snapshots.begin())
    return .json(.object(object))
  }

  func state(_ call: Call) async throws -> Reply {
    var object = JSONObject()
    let id = try call.parameter("id")
    switch try snapshots.state(of: id) {
    case .making(let bytes): (object["state"], object["bytes"]) = (.string("making"), .int(bytes))
    case .ready(let bytes): (object["state"], object["bytes"]) = (.string("ready"), .int(bytes))
    case .failed(let reason):
      (object["state"], object["reason"]) = (.string("failed"), .string(reason))
      object["disk"] = .bool(snapshots.isFailedByDisk(id))
      object["engine"] = .string(engine)
    }
    return .json(.object(object))
  }

  /// The snapshot from an offset to its end.
  func rows(_ call: Call) async throws -> Reply {
    let id = try call.parameter("id")
    let (file, size) = try snapshots.file(of: id)
    let offset = try call.count("offset")
    guard offset <= size else {
      throw BrumeError(.badRequest, "'offset' is behind the snapshot's end, which is \(size)")
    }
    return Self.reply(
      size - offset, SnapshotRest(file: file, range: offset..<size, id: id, snapshots: snapshots))
  }

  /// All of a backup, as `brume backup` writes it: for browsers.
  func file(_ call: Call) async throws -> Reply {
    let id = try call.parameter("id")
    let (file, size) = try snapshots.file(of: id)
    let rows = SnapshotRest(file: file, range: 0..<size, id: id, snapshots: snapshots)
    var reply = Self.reply(
      nil,
      WholeBackup(
        rows: rows, file: file, size: size, assets: assets, downloads: downloads))
    reply.headers[.contentDisposition] = "attachment; filename=\"\(id).brume\""
    return reply
  }

  /// All of an object in the asset store, for a backup that goes with a snapshot.
  func asset(_ call: Call) async throws -> Reply {
    let id = try call.parameter("id")
    _ = try snapshots.state(of: id)
    let (name, expected) = (try call.parameter("object"), try call.count("size"))
    let present: String
    do {
      guard
        let found = try await downloads.object(
          of: call.query["checksum"], named: name, size: expected)
      else {
        throw BrumeError(.assetNotAvailable, "the asset's bytes are not there")
      }
      present = found
    } catch let failure as AssetFailure where failure.code == .badName {
      throw BrumeError(.badRequest, failure.description)
    }
    return Self.reply(
      expected,
      WholeObject(name: present, size: expected, assets: assets, id: id, snapshots: snapshots))
  }

  /// A user's private database in the container environment of the call: for browsers.
  func user(_ call: Call) async throws -> Reply {
    let user = try await users.user(try call.parameter("user"))
    let export = UserExport(
      of: user, in: call.containerEnvironment, store: users.store, downloads: downloads)
    var reply = Self.reply(nil, export)
    // The page that asks says what the file is called.
    reply.headers[.contentDisposition] = "attachment"
    return reply
  }

  func remove(_ call: Call) async throws -> Reply {
    snapshots.remove(try call.json().text("id"))
    return .empty
  }

  /// - Parameter size: nil: it is known at the end only.
  private static func reply(_ size: Int64?, _ source: some PieceSource) -> Reply {
    var headers: HTTPFields = [.cacheControl: "no-store"]
    headers[.contentLength] = size.map { String($0) }
    var reply = Reply(headers: headers, body: .bytes([]))
    reply.contentType = "application/octet-stream"
    reply.body = .stream { @concurrent writer in
      // Nobody else has it: each piece is written before the next is read, all in this closure.
      nonisolated(unsafe) var out = writer
      try await source.read { try await out.write(ByteBuffer(bytes: $0)) }
      writer = out
      try await writer.finish(nil)
    }
    return reply
  }
}

/// What is sent piece by piece.
protocol PieceSource: Sendable {
  func read(into take: (ArraySlice<UInt8>) async throws -> Void) async throws
}

struct SnapshotRest: PieceSource {
  let file: DiskFile
  let range: Range<Int64>
  let id: String
  let snapshots: Snapshots
  /// Ours: how much is read and sent at once.
  private static let pieceBytes: Int64 = 262_144

  func read(into take: (ArraySlice<UInt8>) async throws -> Void) async throws {
    var position = range.lowerBound
    while position < range.upperBound {
      let count = min(Self.pieceBytes, range.upperBound - position)
      let piece = try file.bytes(at: position, count: Int(count))
      guard !piece.isEmpty else { throw BrumeError(.internalError, "the snapshot was cut") }
      position += Int64(piece.count)
      try await take(piece[...])
      // As long as it is read it stays.
      _ = try? snapshots.state(of: id)
    }
  }
}

private struct WholeObject: PieceSource {
  let name: String
  let size: Int64
  let assets: any AssetStore
  let id: String
  let snapshots: Snapshots

  func read(into take: (ArraySlice<UInt8>) async throws -> Void) async throws {
    try await assets.read(name, 0..<size) { piece in
      try await take(piece)
      // As long as its files are read the snapshot stays.
      _ = try? snapshots.state(of: id)
    }
  }
}

extension Call {
  fileprivate func parameter(_ name: String) throws(BrumeError) -> String {
    guard let value = query[name] else {
      throw BrumeError(.badRequest, "the parameter '\(name)' is missing")
    }
    return value
  }

  fileprivate func count(_ name: String) throws(BrumeError) -> Int64 {
    guard let count = Int64(try parameter(name)), count >= 0 else {
      throw BrumeError(.badRequest, "the parameter '\(name)' must be a number, 0 or more")
    }
    return count
  }
}
