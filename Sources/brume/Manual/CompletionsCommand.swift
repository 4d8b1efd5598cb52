// brume completions: what a shell needs to complete commands and options.

import ArgumentParser

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print a completion script for a shell.",
    discussion: """
      bash:  brume completions bash > ~/.local/share/bash-completion/completions/brume
      zsh:   brume completions zsh > "${fpath[1]}/_brume"
      fish:  brume completions fish > ~/.config/fish/completions/brume.fish
      """)
  @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]))
  var shell: String

  func run() throws {
    guard let known = CompletionShell(rawValue: shell) else {
      throw ValidationError("there is no script for '\(shell)'; it may be bash, zsh or fish")
    }
    Output.line(CommandTree.completionScript(for: known))
  }
}
