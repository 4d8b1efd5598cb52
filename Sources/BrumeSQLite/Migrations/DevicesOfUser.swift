// Signing out everywhere looks for a user's devices in all containers.

extension Migrations {
  static let devicesOfUser = "CREATE INDEX devices_of_user ON devices (user);"
}
