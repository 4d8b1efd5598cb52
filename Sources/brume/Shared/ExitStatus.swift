// Exit statuses beside 0, 1 and 64, with the numbers that sysexits.h gives them, so that a script that takes backups
// can tell a server that is away from a file that is damaged. A command that was not understood ends with 64;
// whatever a rule of the server's refuses ends with 1.

import ArgumentParser
import BrumeServer
import BrumeStorage

enum ExitStatus: Int32 {
  /// What was to be read is damaged, no backup, or of another version.
  case data = 65
  /// What was to be read is not there.
  case noInput = 66
  /// No server answers, ours or the one that is read.
  case unavailable = 69
  /// What was to be made is there already, or cannot be made.
  case cannotCreate = 73
  /// The disk did not do what it was asked.
  case disk = 74
  /// It broke off, or another server asks to come back later; the same command goes on.
  case again = 75
  /// The admin token is wrong, or another server does not let us in.
  case noPermission = 77

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
      case .unreachable, .notOwned, .closed: .unavailable
      case .unavailable, .noRoom, .notDurable: .disk
      }
    self.init(status, error.description)
  }

  /// Runs a command's body; says what failed on standard error and ends with its status.
  static func saying(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let failure as StatusFailure {
      try end(failure)
    } catch let error as StoreError {
      try end(StatusFailure(error))
    } catch let error as AssetFailure {
      try end(StatusFailure(.disk, error.description))
    } catch let error as DataFolderError {
      try end(StatusFailure(.cannotCreate, error.description))
    } catch let error as SettingError {
      throw ValidationError(error.description)
    }
  }

  private static func end(_ failure: StatusFailure) throws {
    Output.say("Error: \(failure.description)")
    throw failure.status.code
  }
}
