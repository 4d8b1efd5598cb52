// Who signs what the server sends: keys of Apple's push service and webhooks, with when each was used last. They are
// added and revoked on the page of users and keys.

import { remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { to } from "../core/router.js";
import { admin } from "../core/places.js";
import { Pane } from "../parts/layout.js";
import { Badge } from "../parts/states.js";
import { Table } from "../parts/table.js";
import { lastUse } from "./users-tokens.js";

/** Nothing, as long as nobody signs anything. */
export function Senders() {
  const keys = remote(admin("apns")).value?.senders ?? [];
  const webhooks = remote(admin("webhooks")).value?.webhooks ?? [];
  const rows = [
    ...keys.map((key) => ({ ...key, name: key.topic, kind: "APNs key", tab: "apns" })),
    ...webhooks.map((webhook) => ({ ...webhook, name: webhook.url, kind: "webhook", tab: "webhooks" })),
  ];
  return rows.length > 0 && h(
    Pane,
    { key: "senders", title: "Keys and webhooks" },
    h(Table, { label: "Keys and webhooks", columns, rows, id: (row) => `${row.kind} ${row.id ?? row.name}` }),
  );
}

const columns = [
  { title: "Name", cell: (row) => h("b", { title: row.name }, row.name) },
  { title: "Kind", cell: (row) => row.kind },
  {
    title: "State",
    cell: (row) => (row.state === "off" ? h(Badge, { kind: "bad" }, row.reason ?? "Off") : h(Badge, { kind: "ok" }, "On")),
  },
  { title: "Last used", cell: (row) => lastUse(row) },
  {
    title: "Revoke",
    hidden: true,
    class: "end",
    cell: (row) => h("a", { href: to("users", [], { tab: row.tab }), "aria-label": `Revoke ${row.name}` }, "Revoke…"),
  },
];
