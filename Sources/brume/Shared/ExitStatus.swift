// Exit statuses beside 0, 1 and 64, with the numbers that sysexits.h gives them. A command that was not
// understood ends with 64; whatever a rule of the server's refuses ends with 1.

import ArgumentParser

enum ExitStatus {
  /// What was read is wrong (EX_DATAERR).
  static let wrongData = ExitCode(65)
  /// There is no such file, or it cannot be read (EX_NOINPUT).
  static let noInput = ExitCode(66)
}
