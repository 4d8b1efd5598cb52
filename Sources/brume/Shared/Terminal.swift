// Asking somebody who sits at a terminal.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum Terminal {
  /// Whether somebody can be asked: questions go to standard error, answers come from standard input.
  static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks, and takes nothing but `yes` for it.
  static func agrees(_ question: String) -> Bool {
    Output.say("\(question) Type yes:")
    return readLine() == "yes"
  }
}
