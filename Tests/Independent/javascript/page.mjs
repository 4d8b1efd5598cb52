// An app's page for Tests/Independent/tabs.py: a store that it drives, on an origin of its own. The client
// comes from the server, as a stranger's page would load it.
const { Container, OfflineStore } = await import(`${window.settings.url}/_brume/client/brume.js`);

/** Where the next save stops for ever: "before" or "after" the server has got it. */
let stop = null;

const stopping = async (address, request) => {
  if (stop && String(address).includes("records/modify")) {
    if (stop === "after") await fetch(address, request);
    window.hasStopped = true;
    await new Promise(() => {});
  }
  return fetch(address, request);
};

window.reports = [];
addEventListener("securitypolicyviolation", (event) => window.reports.push(`${event.violatedDirective} ${event.blockedURI}`));

window.app = {
  /** Opens a store; `name` is its place in IndexedDB, and with it the device. */
  open(name, webAuthToken) {
    const { url, container, apiToken } = window.settings;
    this.container = new Container({ url, container, apiToken, webAuthToken, deviceID: name, host: { fetch: stopping } });
    this.store = new OfflineStore(this.container.privateDatabase, {
      name, zones: ["Notes"], onError: (error) => (this.lastError = String(error)),
    });
    this.changes = 0;
    this.store.onChange(() => (this.changes += 1));
  },

  stopAt(moment) {
    stop = moment;
  },

  async save(recordName, fields) {
    await this.store.save({ recordType: "Note", recordName, fields });
  },

  /** All notes, and how many edits wait. */
  async state() {
    const records = await this.store.records();
    const notes = Object.fromEntries(records.map(({ recordName, fields }) => [recordName, fields]));
    return { notes, pending: (await this.store.pendingEdits()).length };
  },
};
