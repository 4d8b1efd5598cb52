// Uses that the types must refuse: the compiler complains about each line under a mark that it accepts.
import { BrumeError, Container, Database, IndexedDBStorage, Location, OfflineStore, Reference } from "./brume.mjs";

declare const container: Container;
const database = container.privateDatabase;

// @ts-expect-error: without an API token
new Container({ url: "https://brume.example", container: "iCloud.org.example.app" });
// @ts-expect-error: an environment that does not exist
new Container({ url: "u", container: "c", apiToken: "a", environment: "staging" });
// @ts-expect-error: databases are made by containers
new Database();
// @ts-expect-error: a place without its longitude
new Location({ latitude: 1 });
// @ts-expect-error: an action that does not exist
new Reference("A", { action: "CASCADE" });
// @ts-expect-error: a field cannot hold an object of no known kind
database.saveRecord({ recordType: "Note", fields: { title: { text: "x" } } });
// @ts-expect-error: a policy that does not exist
database.saveRecord({ recordType: "Note" }, { policy: "always" });
// @ts-expect-error: an operation that does not exist
database.modifyRecords([{ operationType: "upsert", record: {} }]);
// @ts-expect-error: a comparator that does not exist
database.query({ recordType: "Note", filterBy: [{ fieldName: "title", comparator: "LIKE", value: "x" }] });
// @ts-expect-error: a filter without a value
database.query({ recordType: "Note", filterBy: [{ fieldName: "title", comparator: "EQUALS" }] });
// @ts-expect-error: a query subscription without its query
database.saveSubscription({ subscriptionType: "query", firesOn: ["create"] });
// @ts-expect-error: an event that does not exist
database.saveSubscription({ subscriptionType: "query", query: { recordType: "Note" }, firesOn: ["save"] });
// @ts-expect-error: a share's permission that does not exist
database.share(null, { publicPermission: "WRITE" });
// @ts-expect-error: a file that is a text
database.uploadAsset({ recordType: "Photo", fieldName: "file", recordName: "P" }, "text");
// @ts-expect-error: a file of no record
database.uploadAsset({ recordType: "Photo", fieldName: "file" }, new Blob());
// @ts-expect-error: shares are joined by the container
database.acceptShares(["0"]);
// @ts-expect-error: a store without a name
new OfflineStore(database, { zones: ["Notes"] });
// @ts-expect-error: a resolution that is no record
new OfflineStore(database, { name: "n", zones: ["Notes"], resolve: () => "theirs" });
// @ts-expect-error: a storage without `apply`
new OfflineStore(database, { name: "n", zones: ["Notes"], storage: { get: async () => 1, list: async () => [] } });
// @ts-expect-error: a storage of no name
new IndexedDBStorage();

const use = async () => {
  const record = await database.lookupRecord("N");
  // @ts-expect-error: the record may not be there
  record.fields;
  // @ts-expect-error: a value whose type was not looked at
  record?.fields.title.length;
  for await (const found of database.query({ recordType: "Note" })) {
    // @ts-expect-error: a record, not a page
    found.records;
  }
  for await (const push of container.pushes()) {
    // @ts-expect-error: a kind that does not exist
    if (push.kind === "record") return;
  }
  // @ts-expect-error: there is one subscription for each ID, or null
  (await database.lookupSubscriptions(["a"]))[0].subscriptionID;
  await database.zones().catch((error: BrumeError) => {
    // @ts-expect-error: a code that does not exist
    return error.serverErrorCode === "NOT_THERE";
  });
};
use();
