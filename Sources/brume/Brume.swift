import ArgumentParser

@main
struct BrumeTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "brume", abstract: "CloudKit that you can run.")
}
