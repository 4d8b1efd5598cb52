// Accounts and what they sign in with, roles, who accepted which share.

extension Migrations {
  static let accounts = users + credentials + shares

  /// `lower` of a text with collation "C" changes ASCII letters only, as `EmailAddress.key` does.
  private static let users = """
    CREATE TABLE account_changes (
      number bigint PRIMARY KEY,
      user_id text COLLATE "C" NOT NULL,
      process text COLLATE "C" NOT NULL);
    CREATE TABLE users (
      id text COLLATE "C" PRIMARY KEY,
      name text COLLATE "C" NOT NULL,
      password_hash text COLLATE "C",
      email text COLLATE "C",
      phone text COLLATE "C",
      given_name text COLLATE "C",
      family_name text COLLATE "C",
      token_epoch bigint NOT NULL,
      discoverable bigint NOT NULL);
    CREATE INDEX users_by_name ON users (name, id);
    CREATE INDEX users_by_email ON users (lower(email)) WHERE email IS NOT NULL;
    CREATE INDEX users_by_phone ON users (phone) WHERE phone IS NOT NULL;
    CREATE TABLE identities (
      issuer text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      user_id text COLLATE "C" NOT NULL,
      PRIMARY KEY (issuer, subject));
    CREATE TABLE role_members (
      container text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      role text COLLATE "C" NOT NULL,
      user_id text COLLATE "C" NOT NULL,
      PRIMARY KEY (container, environment, role, user_id));
    CREATE INDEX roles_of_user ON role_members (container, environment, user_id, role);

    """

  /// The number of used signatures stands in a row of its own: each signed request asks for it.
  private static let credentials = """
    CREATE TABLE api_tokens (
      token text COLLATE "C" PRIMARY KEY,
      name text COLLATE "C" NOT NULL,
      container text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      origins text COLLATE "C",  -- one in each line; NULL: any
      callback text COLLATE "C");
    CREATE TABLE server_keys (
      id text COLLATE "C" PRIMARY KEY,
      name text COLLATE "C" NOT NULL,
      container text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      public_key text COLLATE "C" NOT NULL,
      user_id text COLLATE "C" NOT NULL);
    CREATE TABLE used_signatures (
      identity text COLLATE "C" PRIMARY KEY,
      time bigint NOT NULL);
    CREATE INDEX used_signatures_by_time ON used_signatures (time);
    CREATE TABLE used_signature_count (used bigint NOT NULL);
    INSERT INTO used_signature_count VALUES (0);

    """

  /// A membership is there twice, in the bucket of the user and in that of the zone: each is asked for
  /// alone, and no question looks into two buckets.
  private static let shares = """
    CREATE TABLE memberships (
      bucket bigint NOT NULL,  -- of the user
      container text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      user_id text COLLATE "C" NOT NULL,
      zone_name text COLLATE "C" NOT NULL,
      owner text COLLATE "C" NOT NULL,
      share text COLLATE "C" NOT NULL,
      PRIMARY KEY (bucket, container, environment, user_id, zone_name, owner, share));
    CREATE TABLE members (
      bucket bigint NOT NULL,  -- of the zone
      zone bigint NOT NULL,
      share text COLLATE "C" NOT NULL,
      user_id text COLLATE "C" NOT NULL,
      PRIMARY KEY (bucket, zone, share, user_id));
    CREATE TABLE short_guids (
      guid text COLLATE "C" PRIMARY KEY,
      container text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      owner text COLLATE "C" NOT NULL,
      zone_name text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL);

    """
}
