// brume migrate: a store, from SQLite to PostgreSQL or back, while no server runs.

import ArgumentParser
import BrumeCore
import BrumeServer
import BrumeStorage
import BrumeWire
import Logging
import Synchronization

struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate", abstract: "Move a store from SQLite to PostgreSQL, or back.",
    usage: """
      brume migrate [--data FOLDER] --from sqlite --to postgres://user@host:port/database
      brume migrate [--data FOLDER] --from postgres://user@host:port/database --to sqlite
      """,
    discussion: """
      No server may run on either store: stop all of them first. The target must be empty, as a new \
      database or a folder without 'brume.sqlite' is. Then:

        - all rows are copied, page by page. If it is interrupted, the same command goes on.
        - both stores are read back and compared; their hash is printed.
        - the first server on the target raises the generation: change tokens of before are \
      expired, so clients fetch everything once. Pushes that wait are delivered.

      Files of records stay where they are: start the server with the same --data (its folder \
      'assets'), or with the same bucket. Indexes of queries are made again as queries ask for them. \
      The source is not changed; keep it until you are content, and start no server on it again.

      A password is better in the variable PGPASSWORD or in ~/.pgpass than in the URL, which \
      others on this machine can see. More: docs/operating/postgresql.md
      """)

  @Option(help: "The folder with SQLite's database. (default: ./brume-data) [BRUME_DATA]")
  var data: String?

  @Option(help: ArgumentHelp("Where the records are: sqlite, or the URL.", valueName: "store"))
  var from: String

  @Option(help: ArgumentHelp("Where they go: sqlite, or the URL.", valueName: "store"))
  var to: String

  @OptionGroup var answer: AnswerOption

  func run() async throws {
    let migration = try StoreMigration(from: from, to: to, folder: ServerOptions.folder(data))
    let logger = Logger(label: "brume") { StreamLogHandler.standardError(label: $0) }
    let report = MoveReport()
    let outcome = try await TerminalProgress.waiting(for: report.latest, on: report.line) {
      try migration.run(logger: logger) { report.take($0) }
    }
    say(outcome)
  }

  private func say(_ outcome: StoreMove.Outcome) {
    if outcome.resumed > 0 { Output.say("\(outcome.resumed) rows were there already") }
    answer.show(
      [
        "rows": .int(Int64(outcome.rows)), "hash": .string(outcome.hash),
        "resumed": .int(Int64(outcome.resumed)),
      ],
      ["moved \(outcome.rows) rows; both stores have the hash \(outcome.hash)"],
      said: """
        The first server on the target raises the generation: clients fetch everything once.
        The source is as it was. Keep it for a while, and start no server on it again.
        """)
  }
}

/// Says how far a move is: a line for each table that has rows, and what is under way on a terminal. Where there is none,
/// a line from time to time for a large table.
private final class MoveReport: Sendable {
  let line = TerminalProgress()
  private let text = Mutex("opening both stores")

  /// What is under way.
  var latest: String { text.withLock { $0 } }

  func take(_ progress: StoreMove.Progress) {
    let step = progress.step == .copying ? "copied" : "compared"
    let now = "\(step) \(progress.table.rawValue): \(progress.rows)"
    text.withLock { $0 = now }
    guard progress.rows > 0 else { return }
    if progress.isLast {
      line.end()
      Output.say(now)
    } else if TerminalProgress.isOnTerminal {
      line.show(now)
    } else if progress.rows % 10_000 == 0 {
      Output.say("\(now) …")
    }
  }
}
