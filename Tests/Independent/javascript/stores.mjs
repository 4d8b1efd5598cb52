// Offline stores that the tests start from, each on a zone of its own at the real server.
import { MemoryStorage, OfflineStore } from "./brume.mjs";
import { device, network, zoneName } from "./servers.mjs";

/** @typedef {import("./brume.mjs").OfflineStoreOptions} Options */

/**
 * A store of a new zone, or of one that is given.
 * @param {Partial<Options> & { zone?: string, container?: import("./brume.mjs").Container }} [options]
 */
export const opened = (options = {}) => {
  const { zone = zoneName(), container = device("ALICE") } = options;
  const storage = options.storage ?? new MemoryStorage();
  return new OfflineStore(container.privateDatabase, { name: zone, zones: [zone], ...options, storage });
};

/** Two devices with the same zone, synced. */
export const pair = async (/** @type {Partial<Options>} */ options = {}) => {
  const zone = zoneName();
  const [phone, laptop] = [opened({ zone, name: `${zone}-phone`, ...options }), opened({ zone, name: `${zone}-laptop` })];
  await phone.save({ recordType: "Note", recordName: "N", fields: { title: "first", text: "first" } });
  await phone.sync();
  await laptop.sync();
  return { phone, laptop, zone };
};

/** @param {OfflineStore} store @param {string} [recordName] */
export const fieldsOf = async (store, recordName = "N") => (await store.record(recordName))?.fields;

/**
 * What the server has under a name in a zone of Alice.
 * @param {string} zoneID @param {string} [recordName]
 */
export const onServer = (zoneID, recordName = "N") => device("ALICE").privateDatabase.lookupRecord(recordName, { zoneID });

/** A device that loses the answer to each save. */
export const losing = () => {
  const { host } = network(async (address, _, real) => {
    if (!address.includes("records/modify")) return undefined;
    await real();
    throw new TypeError("the tab dies");
  });
  return device("ALICE", { host, attempts: 1 });
};
