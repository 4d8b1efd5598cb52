// What happens in a run: drawn from the seed before it begins, so that a part of it can be left out.

import BrumeKit
import BrumeModel
import BrumeTestKit
import Foundation

/// One thing that somebody does, or that befalls somebody.
struct Deed: Sendable {
  enum Kind: Sendable {
    case edit(String), delete(String)
    case restartApp, cut(Int64), killServer
    case wait
  }
  let time: Int64
  let device: Int
  let kind: Kind
}

struct Deeds {
  /// Ours: how long there are faults, in milliseconds.
  static let stormy: Int64 = 4000
  /// How long convergence may take after that.
  static let patience: Int64 = 10_000
  private let world: World
  private let all: [Deed]

  init(_ world: World) {
    self.world = world
    var random = SeededRandom(seed: world.order.seed ^ 0x9e6c_63d0_876a_68de)
    let count = 10 + random.next(below: 30)
    var deeds: [Deed] = []
    for _ in 0..<count {
      deeds.append(
        Deed(
          time: Int64(random.next(below: Int(Self.stormy))),
          device: random.next(below: world.devices.count), kind: Self.kind(&random)))
    }
    deeds.sort { $0.time < $1.time }
    all = deeds
    world.deedCount = count
  }

  private static func kind(_ random: inout SeededRandom) -> Deed.Kind {
    switch random.next(below: 20) {
    case 0...11: .edit("k\(random.next(below: 4))")
    case 12...13: .edit("d\(random.next(below: 3))")
    case 14...15: .delete("d\(random.next(below: 3))")
    case 16: .restartApp
    case 17: .cut(Int64(100 + random.next(below: 1500)))
    case 18: .killServer
    default: .wait
    }
  }

  func carryOut() async throws {
    // Everybody has begun before anything goes wrong.
    await world.sleep(1000)
    let begin = world.now
    world.isCalm = false
    for (index, deed) in all.enumerated() {
      if let keep = world.order.keep, !keep.contains(index) { continue }
      await world.sleep(begin + deed.time - world.now)
      await carryOut(deed, "w\(index)")
    }
    await world.sleep(begin + Self.stormy - world.now)
    world.isCalm = true
    world.note("calm")
    if world.server == nil { try await world.startServer() }
    try await settle()
  }

  private func carryOut(_ deed: Deed, _ word: String) async {
    let device = world.devices[deed.device]
    switch deed.kind {
    case .edit(let name): device.apps[0].edit(name, in: NotesApp.notes, adding: word)
    case .delete(let name): device.apps[0].delete(name, in: NotesApp.notes)
    case .restartApp: device.restartApp()
    case .cut(let time): device.transport.cut(for: time)
    case .killServer:
      world.killServer()
      Task { [world] in
        await world.sleep(200)
        if world.server == nil { try await world.startServer() }
      }
    case .wait: break
    }
  }

  private func settle() async throws {
    let end = world.now + Self.patience
    while true {
      let differences = try await Comparison(world).differences()
      if differences.isEmpty { return }
      if world.now >= end {
        for difference in differences { world.fail("still after ten seconds: \(difference)") }
        return
      }
      await world.sleep(200)
    }
  }
}
