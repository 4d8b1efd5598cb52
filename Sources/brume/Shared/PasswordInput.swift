// Where commands get passwords from: a file, standard input, or the terminal. Never from the command line,
// which every user of the machine can read.

import ArgumentParser

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum PasswordInput {
  /// The first line of a file; `-` is standard input.
  static func firstLine(of file: String) throws -> String {
    let text: String? =
      try file == "-"
      ? readLine()
      : String(decoding: GivenFile.content(of: file, "the password file"), as: UTF8.self)
    guard let line = text?.split(whereSeparator: \.isNewline).first else {
      throw CommandFailure("'\(file)' holds no password; write it into the first line", .noInput)
    }
    return String(line)
  }

  /// The password of a file, or typed twice and not shown.
  static func newPassword(file: String?) throws -> String {
    if let file { return try firstLine(of: file) }
    guard isatty(STDIN_FILENO) != 0 else {
      throw ValidationError(
        "there is no terminal to type a password; name a file that holds it with --password-file, "
          + "or - for standard input")
    }
    let first = try typed("Password: ")
    guard try typed("Password, once more: ") == first else {
      throw CommandFailure("the two passwords differ; nothing was changed")
    }
    return first
  }

  private static func typed(_ prompt: String) throws -> String {
    guard let text = getpass(prompt) else {
      throw CommandFailure("no password was typed; nothing was changed")
    }
    return String(cString: text)
  }
}
