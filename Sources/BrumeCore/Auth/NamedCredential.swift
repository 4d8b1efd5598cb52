// Which of several API tokens or keys an operator means.

import BrumeModel

enum NamedCredential {
  /// A name that a command is to make something of by must be new there, so that it says which one is meant.
  ///
  /// - Parameter command: the noun of the command line.
  /// - Throws: `conflict` if one has it.
  static func checkNew<Credential: InContainerEnvironment>(
    _ text: String, among all: [Credential], in containerEnvironment: ContainerEnvironment,
    command: String, name: (Credential) -> String
  ) throws(BrumeError) {
    guard
      all.contains(where: { name($0) == text && $0.containerEnvironment == containerEnvironment })
    else { return }
    throw BrumeError(
      .conflict,
      "a \(command) of '\(containerEnvironment.container.name)' in "
        + "\(containerEnvironment.environment.rawValue) has the name '\(NameRules.shown(text))'; take another name, "
        + "or take that one back first with `brume \(command) revoke`")
  }

  /// The one with this ID, wherever it is, or else the only one with this name in the container environment.
  ///
  /// - Parameter command: the noun of the command line that lists them.
  static func find<Credential: InContainerEnvironment>(
    _ text: String, among all: [Credential], in containerEnvironment: ContainerEnvironment,
    command: String, id: (Credential) -> String, name: (Credential) -> String
  ) throws(BrumeError) -> Credential {
    if let exact = all.first(where: { id($0) == text }) { return exact }
    let named = all.filter {
      name($0) == text && $0.containerEnvironment == containerEnvironment
    }
    guard let first = named.first else {
      throw BrumeError(
        .notFound,
        "no \(command) of '\(containerEnvironment.container.name)' in "
          + "\(containerEnvironment.environment.rawValue) has this name, and none this value; "
          + "`brume \(command) list` shows them")
    }
    guard named.count == 1 else {
      throw BrumeError(
        .conflict,
        "\(named.count) have the name '\(text)'; say which with the value that `brume \(command) list` "
          + "shows")
    }
    return first
  }
}
