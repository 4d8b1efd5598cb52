// What commands print that change something: lines for people, or the server's answer for programs.

import ArgumentParser
import BrumeWire

/// `--json` of a command that prints no table.
struct AnswerOption: ParsableArguments {
  @Flag(help: "The answer as one JSON object.") var json = false

  /// Prints what was answered, and says what was done.
  ///
  /// - Parameter lines: what people get on standard output instead of the answer.
  func show(_ answer: JSON, _ lines: [String?] = [], said sentence: String? = nil) {
    if json {
      Output.line(answer.bytes())
    } else {
      for line in lines { line.map { Output.line($0) } }
    }
    if let sentence { Output.say(sentence) }
  }
}

extension JSON {
  /// Where something was made that belongs to one container and environment: whoever names neither may have meant others.
  var placeInWords: String {
    "container '\(self["container"]?.string ?? "")' in \(self["environment"]?.string ?? "")"
  }
}

/// `--json` of a command that prints JSON in any case.
struct AlwaysJSONOption: ParsableArguments {
  @Flag(help: "The answer as one JSON object, as always; for scripts that say it everywhere.")
  var json = false
}
