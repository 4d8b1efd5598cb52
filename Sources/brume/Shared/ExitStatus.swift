// Exit statuses beside 0, 1 and 64, with the numbers that sysexits.h gives them. A command that was not
// understood ends with 64; whatever a rule of the server's refuses ends with 1.

import ArgumentParser

enum ExitStatus {
  /// What was read is wrong (EX_DATAERR).
  static let wrongData = ExitCode(65)
  /// There is no such file, or it cannot be read (EX_NOINPUT).
  static let noInput = ExitCode(66)
  /// Another server does not answer (EX_UNAVAILABLE).
  static let unavailable = ExitCode(69)
  /// Another server asks to come back later, again and again (EX_TEMPFAIL).
  static let later = ExitCode(75)
  /// Another server does not let us in (EX_NOPERM).
  static let noPermission = ExitCode(77)
}
