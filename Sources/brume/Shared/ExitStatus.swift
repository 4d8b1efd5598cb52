// Exit statuses beside 0, 1 and 64, with the numbers that sysexits.h gives them, so that a script can distinguish a server
// that is away from a file that is damaged. A command that was not understood ends with 64; whatever a rule of the
// server's refuses ends with 1. All commands end here.

import ArgumentParser
import BrumeClient
import BrumeServer
import BrumeStorage

enum ExitStatus: Int32, CaseIterable {
  /// What was to be read is damaged, no backup, or of another version.
  case data = 65
  /// What was to be read is not there.
  case noInput = 66
  /// No server answers, ours or the one that is read; or no database is there that can be used.
  case unavailable = 69
  /// The server failed at it; its log says why.
  case software = 70
  /// What was to be made is there already, or cannot be made.
  case cannotCreate = 73
  /// The disk did not do what it was asked.
  case disk = 74
  /// It broke off, or another server asks to come back later; the same command goes on.
  case again = 75
  /// The admin token is wrong or may only read, a user may not do it, or another server does not let us in.
  case noPermission = 77
  /// As a shell ends: the command of `exec` is there, and no program.
  case notExecutable = 126
  /// As a shell ends: the command of `exec` is not there.
  case notFound = 127

  /// One line of the manual page and of the reference.
  var meaning: String {
    switch self {
    case .data: "a file's content is wrong, damaged, or of another version"
    case .noInput: "a file cannot be read"
    case .unavailable: "no server answers, or no database that can be used"
    case .software: "the server failed at it; its log says why"
    case .cannotCreate: "what was to be made is there already, or cannot be made"
    case .disk: "the disk is full, or failed"
    case .again: "it broke off, or the server asks to come back later: repeat the command"
    case .noPermission:
      "the admin token is missing, wrong or may only read, or a user may not do it"
    case .notExecutable: "the command of 'brume exec' is there and cannot be executed"
    case .notFound: "the command of 'brume exec' is not there"
    }
  }

  /// What an answer of the server's means.
  init?(ofAnswer status: Int) {
    switch status {
    case 401, 403: self = .noPermission
    case 429, 503: self = .again
    case 500...: self = .software
    default: return nil
    }
  }

  var code: ExitCode { ExitCode(rawValue) }
}

/// A failure with one sentence, what to do next, and the status that the command ends with.
struct StatusFailure: Error, CustomStringConvertible {
  let status: ExitStatus
  let description: String

  init(_ status: ExitStatus, _ description: String) {
    self.status = status
    self.description = description
  }

  /// The store's errors, for commands that read and write files.
  init(_ error: StoreError) {
    let status: ExitStatus =
      switch error.code {
      case .corrupt, .tooNew: .data
      case .inUse: .cannotCreate
      // No disk failed: a setting, or a file system, keeps the database from being used.
      case .unreachable, .tooSlow, .notOwned, .closed, .notDurable: .unavailable
      case .unavailable, .noRoom: .disk
      }
    self.init(status, error.description)
  }
}

/// How commands end that fail.
enum Ending {
  /// Says what failed on standard error, and ends the process with the status that belongs to it.
  static func end(_ error: any Error) -> Never {
    switch error {
    case let failure as StatusFailure: end(failure.status, failure.description)
    case let failure as CommandFailure: end(failure.status, failure.description)
    case let error as StoreError: end(StatusFailure(error).status, error.description)
    case let error as AssetFailure: end(.disk, error.description)
    case let error as DataFolderError:
      end(error.isMissing ? .noInput : .cannotCreate, error.description)
    case let error as CannotListen: end(.cannotCreate, error.description)
    case let failure as CallFailure: end(ExitStatus(of: failure), failure.sentence)
    case let error as SettingError: endWrongUse(error.description)
    case let error as ValidationError: endWrongUse(error.message)
    // Help that was asked for by name comes here too.
    default: end(parsing: error)
    }
  }

  /// Says what was not understood, and ends the process with 64; a question for help ends with 0, if it is about a
  /// command that there is.
  static func end(parsing error: any Error) -> Never {
    let arguments = CommandLine.arguments.dropFirst()
    let sentence: String? =
      switch BrumeTool.exitCode(for: error) {
      case .success: UnknownCommand.sentence(arguments.prefix { !$0.hasPrefix("-") })
      case .validationFailure:
        UnknownCommand.sentence(arguments)
          ?? DashedValue.sentence(arguments, BrumeTool.message(for: error))
          ?? UnknownOption.sentence(arguments, BrumeTool.message(for: error))
      default: nil
      }
    if let sentence { endWrongUse(sentence) }
    let (code, message) = (BrumeTool.exitCode(for: error), BrumeTool.fullMessage(for: error))
    guard !code.isSuccess, !message.isEmpty else { BrumeTool.exit(withError: error) }
    // The parser would wait for whoever reads it, also in a server.
    Output.say(message)
    BrumeTool.exit(withError: code)
  }

  /// As the parser says it of what it finds itself.
  private static func endWrongUse(_ sentence: String) -> Never {
    let (command, path) = HelpText.command(CommandLine.arguments.dropFirst())
    let name = (["brume"] + path).joined(separator: " ")
    let lines = BrumeTool.usageString(for: command).split(separator: "\n")
    Output.say(
      """
      Error: \(sentence)
      Usage: \(lines.joined(separator: "\n       "))
        See '\(name) --help' for more information.
      """)
    BrumeTool.exit(withError: ExitCode.validationFailure)
  }

  private static func end(_ status: ExitStatus?, _ sentence: String) -> Never {
    Output.say("Error: \(sentence)")
    BrumeTool.exit(withError: status?.code ?? ExitCode.failure)
  }
}
