// What stood behind a line break in another column gets a column of its own: the shares that covered
// a deleted record, and where the subscription of a log entry is.

extension Migrations {
  static let ownColumns = """
    ALTER TABLE records ADD COLUMN deleted_shares TEXT;  -- names, each ended by a line break
    UPDATE records SET
      deleted_type = substr(deleted_type, 1, instr(deleted_type, char(10)) - 1),
      deleted_shares = substr(deleted_type, instr(deleted_type, char(10)) + 1) || char(10)
      WHERE instr(deleted_type, char(10)) > 0;
    ALTER TABLE log ADD COLUMN container TEXT;
    ALTER TABLE log ADD COLUMN environment TEXT;
    UPDATE log SET
      container = substr(shares, 1, instr(shares, char(10)) - 1),
      environment = rtrim(substr(shares, instr(shares, char(10)) + 1), char(10)),
      shares = NULL
      WHERE kind = 5;  -- a subscription that was saved or deleted
    """
}
