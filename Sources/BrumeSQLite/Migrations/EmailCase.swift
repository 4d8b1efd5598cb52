// Addresses are found in any case. They stay as they were typed; only the index reads them so.

extension Migrations {
  static let emailCase = """
    DROP INDEX users_by_email;
    CREATE INDEX users_by_email ON users (email COLLATE NOCASE) WHERE email IS NOT NULL;
    """
}
