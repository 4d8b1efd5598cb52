// A simulated phone: an app of a few lines on the client that pages of other people take from the server,
// with a device name of its own. It prints what it is given and fetches what has changed. Of it only the
// place in the stream of its pushes is kept, for as long as the browser's tab; its token lives as long as the page.

import { Container } from "/_brume/client/brume.js";
import { call } from "./calls.js";
import { update } from "./state.js";

const mostLines = 40;

/** All phones, in the order in which they were made. */
export const phones = [];

/** What all phones did, newest first: `{ time, phone, icon, text }`. */
export const happened = [];

export class Phone {
  /** - place: `{ container, environment }`. */
  constructor(name, user, place) {
    Object.assign(this, { name, user, place, state: "offline", lines: [], alerts: [], badge: 0, sync: {}, zones: {} });
    this.clientID = `console-${user}-${name}`.replace(/[^\w-]/g, "");
  }

  /** One line of what happened on it. */
  note(icon, text, kind = "") {
    const line = { time: Date.now(), phone: this, user: this.user, icon, text, kind, id: nextID() };
    this.lines.unshift(line);
    this.lines.length = Math.min(this.lines.length, mostLines);
    happened.unshift(line);
    happened.length = Math.min(happened.length, mostLines * 2);
    update();
  }

  is(state) {
    this.state = state;
    update();
  }

  /** Signs in, and opens the stream. */
  async signIn() {
    await this.enter();
    this.note("user", `${this.user} signed in`);
    await this.come();
  }

  /** The operator makes a token for the user. */
  async enter() {
    const { container, environment } = this.place;
    const place = new URLSearchParams({ container, environment });
    this.place.apiToken ??= (await call(`/_brume/admin/status?${place}`)).environment.BRUME_API_TOKEN;
    const made = await call(`/_brume/admin/users/token?${place}`, { user: this.user });
    const device = { url: location.origin, webAuthToken: made.token, deviceID: this.clientID };
    this.client = new Container({ ...this.place, ...device });
  }

  /** The public, private or shared database, as this phone. */
  database(scope) {
    if (!this.client) throw new Error(`${this.name} of ${this.user} is signed out: let it come back first`);
    return this.client[`${scope}Database`];
  }

  /** Opens the stream, and fetches what was missed. */
  async come() {
    if (!this.client) return this.signIn();
    this.is("connecting");
    const isThis = () => this.stop === stop && this.state !== "offline";
    const stop = this.client.onPush((push) => this.pushed(push), {
      cursor: sessionStorage.getItem(this.position) ?? undefined,
      // What it was pushed is to be seen in Trace at once.
      acknowledgeEvery: 1,
      onCursor: (cursor) => sessionStorage.setItem(this.position, cursor),
      onConnected: () => isThis() && this.connected(),
      onDisconnected: () => isThis() && this.is("connecting"),
      onError: () => isThis() && this.refused(),
    });
    this.stop = stop;
  }

  connected() {
    this.state = "online";
    this.note("live", "online, stream open", "ok");
  }

  /** Where in the browser's tab the last push that was dealt with is kept. */
  get position() {
    return ["phone", this.place.container, this.place.environment, this.clientID].join(" ");
  }

  /** Coming back signs in anew. */
  refused() {
    this.client = undefined;
    this.is("refused");
  }

  /** Signs its user out: the server forgets the device of this user, and what waited for it. */
  async signOut() {
    this.stop?.();
    this.stop = undefined;
    this.state = "signedOut";
    await this.forget();
    Object.assign(this, { client: undefined, sync: {}, zones: {}, alerts: [], badge: 0 });
    this.note("door", `${this.user} signed out`);
  }

  /** Another user takes it into use. */
  async handTo(user) {
    if (this.state !== "signedOut") await this.signOut();
    this.user = user;
    await this.signIn();
  }

  /** Goes out of reach; pushes wait in its mailbox. One that nobody uses has none, and stays signed out. */
  leave() {
    if (this.state === "signedOut") return;
    this.stop?.();
    this.state = "offline";
    this.note("pause", "went offline");
  }

  /** A push: shown, then what has changed is fetched. The client acknowledges it. */
  async pushed(push) {
    const { alert, badge } = push.aps;
    if (badge !== undefined) this.badge = badge;
    const text = alertText(alert);
    const from = push.subscriptionID ?? "";
    if (text) this.alerts.unshift({ title: alert.title ?? "", text, from, time: Date.now(), id: nextID() });
    this.alerts.length = Math.min(this.alerts.length, 2);
    this.note("push", text ? `${from || "push"}: ${text}` : `${from || "push"}, silent`, "info");
    await this.fetchChanges(push).catch((error) => this.note("bad", error.message, "bad"));
  }

  /** What an app does when it is pushed: the record of a query's push, else the changes of its zones. */
  async fetchChanges({ recordName, reason, databaseScope, zoneID }) {
    if (!recordName) return this.fetchZones(this.database("private"));
    if (reason === "deleted") return this.note("records", `${recordName} is gone`);
    const record = await this.database(databaseScope ?? "public").lookupRecord(recordName, { zoneID });
    this.note("records", record ? `fetched ${describe(record)}` : `${recordName} is not there`);
  }

  async fetchZones(database) {
    const walk = async () => {
      for await (const { zones, syncToken } of database.changes({ syncToken: this.sync.private })) {
        for (const { zoneID } of zones) await this.fetchZone(database, zoneID);
        this.sync.private = syncToken;
      }
    };
    await sinceToken(walk, () => delete this.sync.private);
  }

  async fetchZone(database, zoneID) {
    const { zoneName } = zoneID;
    const walk = async () => {
      for await (const page of database.zoneChanges(zoneID, { syncToken: this.zones[zoneName] })) {
        this.zones[zoneName] = page.syncToken;
        const counts = `${page.records.length} changed, ${page.deletedRecordNames.length} gone`;
        this.note("retry", `fetch ${zoneName}: ${counts}`, "ok");
      }
    };
    await sinceToken(walk, () => delete this.zones[zoneName]);
  }

  /** Ends it. */
  async remove() {
    const isKnown = !["refused", "signedOut"].includes(this.state);
    this.leave();
    phones.splice(phones.indexOf(this), 1);
    await this.forget(isKnown);
    update();
  }

  /** The server forgets the device, and the tab its place. One that was offline since the page was opened signs in for that. */
  async forget(isKnown = true) {
    sessionStorage.removeItem(this.position);
    if (!this.client && isKnown) await this.enter().catch(() => {});
    await this.client?.signOut().catch(() => {});
  }
}

let lastID = 0;
const nextID = () => String((lastID += 1));

/** Fetches what has changed; a token that is too old is forgotten, and all is fetched. */
async function sinceToken(walk, forget) {
  try {
    await walk();
  } catch (error) {
    if (!error.isTokenExpired) throw error;
    forget();
    await walk();
  }
}

/** The text of an alert, as the phone would show it without the app's own translations. */
function alertText(alert) {
  if (!alert) return "";
  return alert.body ?? [alert["loc-key"], ...(alert["loc-args"] ?? [])].filter(Boolean).join(" ");
}

/** A record by its first text, or by name. */
export function describe(record) {
  const text = Object.values(record.fields).find((value) => typeof value === "string");
  return `${record.recordType} ${text ? `“${text}”` : record.recordName}`;
}
