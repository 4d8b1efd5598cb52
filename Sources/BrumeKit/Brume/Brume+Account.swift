// Signing in and out while the program runs: what the Settings app does on Apple's systems.

import Foundation

extension Brume {
  /// Signs a user in to a container, in place of whoever was signed in.
  ///
  /// Operations of the former user that are still running fail with
  /// ``CKError/Code/notAuthenticated``, streams of the former user's pushes end, and
  /// `CKAccountChanged` is posted with the container as its object. `CKContainer.default()` and all
  /// containers of `CKContainer(identifier:)` with one identifier have one user: it is posted for each
  /// of them. Others of the program keep their users.
  ///
  /// - Parameters:
  ///   - userToken: a web auth token of the user: from the server's sign-in, or from
  ///     `brume user token NAME` in development.
  ///   - container: the container, with its databases.
  public static func signIn(userToken: String, to container: CKContainer) {
    container.connection.signIn(userToken)
    container.connection.postAccountChange()
  }

  /// Signs the user of a container out. What is said of ``signIn(userToken:to:)`` holds here too.
  public static func signOut(of container: CKContainer) {
    container.connection.signIn(nil)
    container.connection.postAccountChange()
  }
}
