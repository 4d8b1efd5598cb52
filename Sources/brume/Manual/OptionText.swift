// How an option or an argument is spelled, for the manual page and for the reference of commands.

import BrumeWire

/// Texts of what ArgumentParser's description of a command says about one option.
enum OptionText {
  /// The name that help prefers, such as `--data`; empty for an argument.
  static func name(_ option: JSON) -> String { option["preferredName"].map(spelled) ?? "" }

  /// One of an option's names, with its dashes.
  static func spelled(_ name: JSON) -> String {
    (name["kind"]?.string == "long" ? "--" : "-") + (name["name"]?.string ?? "")
  }

  /// An argument as a line of usage has it: in brackets if it may be missing.
  static func usage(_ argument: JSON) -> String {
    let name = (argument["valueName"]?.string ?? "").uppercased()
    let all = argument["isRepeating"]?.bool == true ? name + " ..." : name
    return argument["isOptional"]?.bool == true ? "[\(all)]" : all
  }
}
