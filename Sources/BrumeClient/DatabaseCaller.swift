// One function per endpoint of a database, with the same requests and answers as the server's
// engine. Each call is one HTTP request; splitting large batches is `BatchPlan`.

package import BrumeModel

package struct DatabaseCaller: Sendable {
  package let session: Session
  package let scope: DatabaseScope

  package func modifyRecords(_ request: ModifyRecordsRequest) async throws -> [RecordResult] {
    throw unbuilt
  }
  package func lookupRecords(_ request: LookupRecordsRequest) async throws -> [RecordResult] {
    throw unbuilt
  }
  package func query(_ request: QueryRequest) async throws -> QueryPage { throw unbuilt }
  package func listZones() async throws -> [ZoneState] { throw unbuilt }
  package func lookupZones(_ zones: [ZoneID]) async throws -> [ZoneResult] { throw unbuilt }
  package func modifyZones(_ operations: [ZoneOperation]) async throws -> [ZoneResult] {
    throw unbuilt
  }
  package func databaseChanges(
    token: String?, limit: Int? = nil
  ) async throws -> DatabaseChangesPage { throw unbuilt }
  package func zoneChanges(_ requests: [ZoneChangesRequest]) async throws -> [ZoneChangesResult] {
    throw unbuilt
  }
  package func listSubscriptions() async throws -> [Subscription] { throw unbuilt }
  package func lookupSubscriptions(_ ids: [String]) async throws -> [SubscriptionResult] {
    throw unbuilt
  }
  package func modifySubscriptions(
    _ operations: [SubscriptionOperation]
  ) async throws -> [SubscriptionResult] { throw unbuilt }
}

let unbuilt = CallFailure.notConfigured("this build has no transport yet")
