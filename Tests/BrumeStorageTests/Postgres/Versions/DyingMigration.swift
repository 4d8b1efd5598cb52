// A server that ends the connection of a migration at its n-th statement, as a death of the process, of the server's
// own process or of the network between them does: before the statement, or when it is done.

import BrumeTestKit

@testable import BrumePostgres

struct DyingMigration {
  private let orders: Connection

  /// - Parameter server: one that no other test uses: it looks at the statements of everybody.
  init(on server: PostgresServer) throws {
    orders = try Connection.forTest(server.url)
    try orders.simple(
      """
      CREATE SEQUENCE public.statements;
      CREATE TABLE public.death (at bigint NOT NULL);
      INSERT INTO public.death VALUES (0);
      CREATE FUNCTION public.count() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT at FROM public.death) > 0
          AND nextval('public.statements') = (SELECT at FROM public.death)
        THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; END $$;
      CREATE FUNCTION public.definition() RETURNS event_trigger LANGUAGE plpgsql
        AS $$ BEGIN PERFORM public.count(); END $$;
      CREATE FUNCTION public.change() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN PERFORM public.count(); RETURN NULL; END $$;
      CREATE EVENT TRIGGER before ON ddl_command_start EXECUTE FUNCTION public.definition();
      CREATE EVENT TRIGGER after ON ddl_command_end EXECUTE FUNCTION public.definition();
      """)
  }

  /// Also before and after the version's number is changed.
  func watchVersion(of database: OldDatabase) throws {
    for time in ["BEFORE", "AFTER"] {
      try database.execute(
        "CREATE TRIGGER version_\(time) \(time) UPDATE ON store "
          + "FOR EACH STATEMENT EXECUTE FUNCTION public.change()")
    }
  }

  /// Runs today's migrations.
  ///
  /// - Returns: whether the connection was ended; false: there are fewer statements, and all are done.
  func ends(_ database: OldDatabase, at statement: Int) throws -> Bool {
    let connection = try Connection.forTest(database.url)
    try orders.simple("SELECT setval('public.statements', 1, false)")
    try orders.simple("UPDATE public.death SET at = \(statement)")
    defer { try? orders.simple("UPDATE public.death SET at = 0") }
    do {
      try Migrations.run(on: connection, buckets: 1)
      return false
    } catch let error as ServerError where error.isConnectionLost {
      return true
    }
  }
}
