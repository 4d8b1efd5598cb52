// How cost grows: one zone with searched fields at 10 thousand, 100 thousand and a million records. Each
// figure is taken with the files in the page cache and again after they were dropped from it, and its row says which.
// The server's own caches (4 MB a reader, 32 MB the writer) are as they are. With a build of before, both are asked
// in turns in the same minutes.

import Foundation

struct Growth {
  /// What is measured.
  let now: GrowthSide
  /// A build that it is compared with; nil: none.
  let before: GrowthSide?
  let table: Table
  let isTiny: Bool
  /// How large the zone becomes, in steps.
  let sizes: [Int]

  static func usualSizes(isTiny: Bool) -> [Int] {
    isTiny ? [400, 800, 1_200] : [10_000, 100_000, 1_000_000]
  }

  private var sides: [GrowthSide] { [now] + (before.map { [$0] } ?? []) }
  /// A speed of at least so much of before's is as good; less is looked at.
  private static let asBefore = Bound(must: 0.97)

  func run() throws {
    for size in sizes.sorted() {
      let old = now.count
      try load(to: size)
      for side in sides { try side.settle(size) }
      for isCached in [true, false] { try measure(size, old..<size, isCached) }
    }
    try now.buildIndex(table, isTiny: isTiny)
  }

  // MARK: Loading

  private func load(to size: Int) throws {
    let start = now.count
    let plainCount = max(GrowthSide.batch, min(size - start, 20_000) / 5)
    var times = sides.map { _ in (searched: Duration.zero, plain: Duration.zero) }
    for round in 1...5 {
      for (index, side) in sides.enumerated() {
        let (searched, plain) = try side.load(
          fifth: round, from: start, to: size, plain: plainCount)
        times[index].searched += searched
        times[index].plain += plain
      }
    }
    let rates = times.map { Double(size - start) / $0.searched.asSeconds }
    let plainRate = Double(5 * plainCount) / times[0].plain.asSeconds
    let name = "loading, \(start) to \(size) records"
    table.add(
      Row(
        name: name, ours: Self.text(rates[0], "records/s"),
        baseline: Self.text(plainRate, "without searched fields"),
        ratio: String(format: "%.2f", rates[0] / plainRate),
        verdict: Bound(must: 0.45, aim: 0.6).verdict(rates[0] / plainRate)))
    if rates.count == 2 { compare(name + ", with before", rates) { Self.text($0, "records/s") } }
  }

  // MARK: What is asked

  private func measure(_ size: Int, _ newest: Range<Int>, _ isCached: Bool) throws {
    let state = "\(size) records, files " + (isCached ? "in the page cache" : "dropped from it")
    let groups = (0..<200).map { _ in GrowthBodies.group(Int.random(in: newest)) }
    for (index, name) in ["equality", "range with a sort", "words"].enumerated() {
      try row("\(name), \(state)", isCached) { side in
        try side.search(index, group: groups.randomElement() ?? 0)
      }
    }
    try row("page of 100 changes, \(state)", isCached) { try $0.changes() }
    try row("save of 1 record, \(state)", isCached) { try $0.saveMore(1) }
    try row("save of 200 records, \(state)", isCached) { try $0.saveMore(GrowthSide.batch) }
    try loadMore("loading more, \(state)", isCached)
  }

  /// The median and the 99th percentile of calls, one after the other and each side in its turn.
  private func row(
    _ name: String, _ isCached: Bool, _ call: (GrowthSide) throws -> Void
  ) throws {
    for side in sides where isCached {
      try PageCache.fill(side.folder)
      for _ in 0..<5 { try call(side) }
    }
    var times = sides.map { _ in [Double]() }
    for _ in 0..<(isTiny ? 3 : isCached ? 200 : 30) {
      for (index, side) in sides.enumerated() {
        if !isCached { try PageCache.drop(side.folder) }
        times[index].append(
          try ContinuousClock().measure { try call(side) }.asSeconds * 1000)
      }
    }
    func text(_ times: [Double]) -> String {
      String(format: "%.2f ms, p99 %.2f", times.percentile(50), times.percentile(99))
    }
    guard times.count == 2 else { return table.add(Row(name: name, ours: text(times[0]))) }
    let ratio = times[1].percentile(50) / max(times[0].percentile(50), 0.001)
    table.add(
      Row(
        name: name, ours: text(times[0]), baseline: "before " + text(times[1]),
        ratio: String(format: "%.2f", ratio), verdict: Self.asBefore.verdict(ratio)))
  }

  /// How fast some thousand records more are loaded. The files are dropped before the first of them only: what loading
  /// reads again stays.
  private func loadMore(_ name: String, _ isCached: Bool) throws {
    let records = isTiny ? 2 * GrowthSide.batch : 20 * GrowthSide.batch
    let rates = try sides.map { side -> Double in
      try isCached ? PageCache.fill(side.folder) : PageCache.drop(side.folder)
      let seconds = try side.loadMore(records)
      return Double(records) / seconds
    }
    compare(name, rates) { Self.text($0, "records/s") }
  }

  private func compare(_ name: String, _ rates: [Double], _ text: (Double) -> String) {
    guard rates.count == 2 else { return table.add(Row(name: name, ours: text(rates[0]))) }
    let ratio = rates[0] / rates[1]
    table.add(
      Row(
        name: name, ours: text(rates[0]), baseline: "before " + text(rates[1]),
        ratio: String(format: "%.2f", ratio), verdict: Self.asBefore.verdict(ratio)))
  }

  private static func text(_ rate: Double, _ unit: String) -> String {
    String(format: "%.0f %@", rate, unit)
  }
}
