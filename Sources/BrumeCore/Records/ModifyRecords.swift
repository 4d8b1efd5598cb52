package import BrumeModel
import BrumeStorage

let notBuilt = BrumeError(.internalError, "not built yet")

extension Engine {
  package func modifyRecords(
    _ request: ModifyRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult] { throw notBuilt }
  package func lookupRecords(
    _ request: LookupRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult] { throw notBuilt }
  package func query(
    _ request: QueryRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> QueryPage { throw notBuilt }
  package func listZones(
    in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneState] { throw notBuilt }
  package func lookupZones(
    _ zones: [ZoneID], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneResult] { throw notBuilt }
  package func modifyZones(
    _ operations: [ZoneOperation], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneResult] { throw notBuilt }
  package func databaseChanges(
    token: String?, limit: Int?, in scope: DatabaseScope, as caller: Caller
  ) async throws -> DatabaseChangesPage { throw notBuilt }
  package func zoneChanges(
    _ requests: [ZoneChangesRequest], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneChangesResult] { throw notBuilt }
  package func currentUser(as caller: Caller) async throws -> UserIdentity { throw notBuilt }
  package func resolveShares(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult] { throw notBuilt }
  package func acceptShares(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult] { throw notBuilt }
  package func createUser(
    name: String, password: String? = nil, emailAddress: String? = nil,
    phoneNumber: String? = nil, givenName: String? = nil, familyName: String? = nil
  ) async throws -> User { throw notBuilt }
  package func users() async throws -> [User] { throw notBuilt }
  /// Checks a name and password; the same error for an unknown name and a wrong password.
  package func signIn(name: String, password: String) async throws -> User { throw notBuilt }
  package func webAuthToken(
    for user: UserID, container: ContainerID, environment: Environment, keep: Bool
  ) async throws -> String { throw notBuilt }
  package func createAPIToken(
    name: String, container: ContainerID, environment: Environment,
    allowedOrigins: [String]? = nil
  ) async throws -> APIToken { throw notBuilt }
  package func apiTokens() async throws -> [APIToken] { throw notBuilt }
  package func createServerKey(
    name: String, publicKeyPEM: String, container: ContainerID, environment: Environment
  ) async throws -> ServerKey { throw notBuilt }
  package func serverKeys() async throws -> [ServerKey] { throw notBuilt }
  package func purgeZone(
    _ name: String, of owner: UserID, container: ContainerID, environment: Environment
  ) async throws { throw notBuilt }
  package func resetEncryptedData(
    of owner: UserID, container: ContainerID, environment: Environment
  ) async throws { throw notBuilt }
  package func authenticate(_ credentials: Credentials) async throws -> Caller { throw notBuilt }
}
