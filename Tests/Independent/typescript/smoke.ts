// Uses a client that a generator made from docs/protocol/openapi.yaml, with its types: generated_typescript.py.

import {
  Configuration,
  DefaultApi,
  FieldRequest,
  instanceOfModelRecord,
  instanceOfRecordError,
  ModelRecord,
  RecordResult,
  ResponseError,
} from "./client";

declare const process: { env: { [name: string]: string | undefined }; exit(status: number): never };

function value(name: string): string {
  const found = process.env[name];
  if (found === undefined) throw new Error(`${name} is not set`);
  return found;
}

function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
  console.log(`  ok: ${what}`);
}

const keys: { [name: string]: string } = {
  ckAPIToken: value("BRUME_API_TOKEN"),
  ckWebAuthToken: value("BRUME_USER_TOKEN_ALICE"),
};
const client = new DefaultApi(
  new Configuration({ basePath: value("BRUME_URL"), apiKey: (name) => keys[name] ?? "" }),
);
const place = {
  container: value("BRUME_CONTAINER"),
  environment: "development",
  database: "private",
} as const;
const zoneID = { zoneName: "Trails" };

function record(result: RecordResult | undefined): ModelRecord {
  if (result === undefined || !instanceOfModelRecord(result)) throw new Error(`no record: ${JSON.stringify(result)}`);
  return result;
}

async function recordsGoAndCome() {
  const made = await client.postZonesModify({
    ...place,
    modifyZones: { operations: [{ operationType: "create", zone: { zoneID } }] },
  });
  expect(JSON.stringify(made.zones[0]).includes("Trails"), "a zone is made");
  const fields: { [name: string]: FieldRequest } = {
    title: { value: "Lake path" },
    km: { value: 12.5 },
    tags: { value: ["lake", "easy"] },
    start: { value: { latitude: 47.1, longitude: 11.4 } },
  };
  const hike = { recordType: "Hike", recordName: "h-1", fields };
  const saved = await client.postRecordsModify({
    ...place,
    modifyRecords: { zoneID, operations: [{ operationType: "create", record: hike }] },
  });
  expect(record(saved.records[0]).recordChangeTag !== "", "a record is saved");
  const found = await client.postRecordsQuery({
    ...place,
    queryRecords: {
      zoneID,
      query: {
        recordType: "Hike",
        filterBy: [{ comparator: "GREATER_THAN", fieldName: "km", fieldValue: { value: 10 } }],
      },
    },
  });
  const first = record(found.records[0]);
  expect(first.recordName === "h-1", "a query finds it");
  const shown = first.fields ?? {};
  expect(shown["km"]?.value === 12.5 && shown["km"].type === "DOUBLE", "a number has its value and type");
  expect(JSON.stringify(shown["tags"]?.value) === '["lake","easy"]', "so has a list");
  expect(shown["start"]?.value.latitude === 47.1, "and a location");
  const changes = await client.postChangesZone({ ...place, zoneChangesRequest: { zones: [{ zoneID }] } });
  expect(JSON.stringify(changes.zones[0]).includes('"h-1"'), "the change feed has it");
}

async function errorsHaveTheirClasses() {
  const again = await client.postRecordsModify({
    ...place,
    modifyRecords: {
      zoneID,
      operations: [{ operationType: "create", record: { recordType: "Hike", recordName: "h-1" } }],
    },
  });
  const refused = again.records[0];
  expect(
    refused !== undefined && instanceOfRecordError(refused) && refused.serverErrorCode === "CONFLICT",
    "an error of an item has a class and a code",
  );
  try {
    await client.postRecordsQuery({
      ...place,
      queryRecords: { zoneID: { zoneName: "Nowhere" }, query: { recordType: "Hike" } },
    });
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const body = await error.response.json();
    return expect(body.serverErrorCode === "ZONE_NOT_FOUND", "an error of a whole request is thrown, with its code");
  }
  throw new Error("a query in a zone that is not there has an answer");
}

recordsGoAndCome().then(errorsHaveTheirClasses).catch((error) => {
  console.error(`FAILED: ${error?.message ?? error}`);
  process.exit(1);
});
