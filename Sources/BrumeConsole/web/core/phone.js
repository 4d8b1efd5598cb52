// A simulated phone: a real client of its own, with its own client ID, on a real event stream, that does
// what an app would: it prints what it is given and fetches what has changed. Nothing of it is stored; its
// tokens live as long as the page.

import { call, Failure } from "./calls.js";
import { update } from "./state.js";

const mostLines = 40;

/** All phones, in the order in which they were made. */
export const phones = [];

/** What all phones did, newest first: `{ time, phone, icon, text }`. */
export const happened = [];

export class Phone {
  /** - place: `{ container, environment, apiToken }`. */
  constructor(name, user, place) {
    Object.assign(this, {
      name,
      user,
      place,
      state: "offline",
      lines: [],
      alerts: [],
      badge: 0,
      token: "",
      sync: {},
      zones: {},
      cursor: "",
    });
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

  get credentials() {
    const { container, environment, apiToken } = this.place;
    return new URLSearchParams({
      container,
      environment,
      ckAPIToken: apiToken,
      ckWebAuthToken: this.token,
      clientId: this.clientID,
    });
  }

  /** Signs in: the operator makes a token for the user. */
  async signIn() {
    const { container, environment } = this.place;
    const made = await call(`/_brume/admin/users/token?${new URLSearchParams({ container, environment })}`, {
      user: this.user,
    });
    this.token = made.token;
    this.note("user", `${this.user} signed in`);
    await this.come();
  }

  /** Opens the stream, and fetches what was missed. */
  async come() {
    if (!this.token) return this.signIn();
    this.state = "connecting";
    update();
    const address = `/_brume/stream?${this.credentials}${this.cursor ? `&cursor=${encodeURIComponent(this.cursor)}` : ""}`;
    this.stream = new EventSource(address);
    this.stream.onopen = () => {
      this.state = "online";
      this.note("live", "online, stream open", "ok");
    };
    this.stream.onmessage = (event) => this.pushed(event);
    this.stream.onerror = () => {
      if (this.state === "offline" || this.state === "signedOut") return;
      this.state = this.stream.readyState === EventSource.CLOSED ? "refused" : "connecting";
      // Its token may be good for nothing any more: who comes back signs in anew.
      if (this.state === "refused") this.token = "";
      update();
    };
  }

  /** Signs its user out: the server forgets the device of this user, and what waited for it. */
  async signOut() {
    this.stream?.close();
    this.state = "signedOut";
    await this.forget();
    Object.assign(this, { token: "", sync: {}, zones: {}, cursor: "", alerts: [], badge: 0 });
    this.note("door", `${this.user} signed out`);
  }

  /** Another user takes it into use. */
  async handTo(user) {
    if (this.state !== "signedOut") await this.signOut();
    this.user = user;
    await this.signIn();
  }

  /** Goes out of reach; pushes wait in its mailbox. */
  leave() {
    this.stream?.close();
    this.state = "offline";
    this.note("pause", "went offline");
  }

  /** A push: shown, acknowledged, then what has changed is fetched. */
  async pushed(event) {
    this.cursor = event.lastEventId;
    const push = JSON.parse(event.data);
    const { alert, badge } = push.aps ?? {};
    if (badge !== undefined) this.badge = badge;
    const text = alertText(alert);
    const about = push.ck?.qry ?? push.ck?.fet ?? push.ck?.met ?? {};
    if (text)
      this.alerts.unshift({ title: alert.title ?? "", text, from: about.sid ?? "", time: Date.now(), id: nextID() });
    this.alerts.length = Math.min(this.alerts.length, 2);
    this.note("push", text ? `${about.sid ?? "push"}: ${text}` : `${about.sid ?? "push"}, silent`, "info");
    fetch(`/_brume/stream/ack?${this.credentials}&cursor=${encodeURIComponent(this.cursor)}`, {
      method: "POST",
    }).catch(() => {});
    await this.fetchChanges(about).catch((error) => this.note("bad", error.message, "bad"));
  }

  /** What an app does when it is pushed: the record of a query's push, else the changes of its zones. */
  async fetchChanges(about) {
    if (about.rid) {
      if (about.fo === 3) return this.note("records", `${about.rid} is gone`);
      const scope = { 1: "private", 2: "public", 3: "shared" }[about.dbs] ?? "public";
      const [record] = (
        await this.ask(scope, "records/lookup", {
          records: [{ recordName: about.rid }],
          zoneID: about.zid ? { zoneName: about.zid, ownerRecordName: about.zoid } : undefined,
        })
      ).records;
      return this.note("records", record.fields ? `fetched ${describe(record)}` : `${about.rid}: ${record.reason}`);
    }
    const { zones, syncToken } = await this.ask("private", "changes/database", { syncToken: this.sync.private });
    this.sync.private = syncToken;
    for (const { zoneID } of zones.filter((zone) => !zone.deleted)) {
      const [zone] = (
        await this.ask("private", "changes/zone", { zones: [{ zoneID, syncToken: this.zones[zoneID.zoneName] }] })
      ).zones;
      this.zones[zoneID.zoneName] = zone.syncToken;
      const gone = zone.records.filter((record) => record.deleted).length;
      this.note("retry", `fetch ${zoneID.zoneName}: ${zone.records.length - gone} changed, ${gone} gone`, "ok");
    }
  }

  /** One call of the public protocol, as this phone. */
  async ask(database, endpoint, body) {
    const { container, environment } = this.place;
    const path = [container, environment, database].map(encodeURIComponent).join("/");
    const answer = await fetch(`/database/1/${path}/${endpoint}?${this.credentials}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const content = await answer.json().catch(() => null);
    if (!answer.ok) throw new Failure(answer.status, content, "");
    return content;
  }

  /** Ends it: the server forgets the device. */
  async remove() {
    this.stream?.close();
    phones.splice(phones.indexOf(this), 1);
    await this.forget();
    update();
  }

  async forget() {
    if (!this.token) return;
    await fetch(`/_brume/devices/remove?${this.credentials}`, { method: "POST", body: "{}" }).catch(() => {});
  }
}

let lastID = 0;
const nextID = () => String((lastID += 1));

/** The text of an alert, as the phone would show it without the app's own translations. */
function alertText(alert) {
  if (!alert) return "";
  return alert.body ?? [alert["loc-key"], ...(alert["loc-args"] ?? [])].filter(Boolean).join(" ");
}

/** A record by its first text, or by name. */
export function describe(record) {
  const text = Object.values(record.fields ?? {}).find((field) => field.type === "STRING")?.value;
  return `${record.recordType} ${text ? `“${text}”` : record.recordName}`;
}
