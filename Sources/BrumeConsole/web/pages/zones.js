// Zones and shares: how large, how fresh, who is in? The zones of one user, the shares in the zone that is
// open, what a change token says, and deletions that are old enough to be forgotten.

import { paged, remote } from "../core/calls.js";
import { admin, knownUsers, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { go, route, to, turn } from "../core/router.js";
import { exactly, moment } from "../core/words.js";
import { Button, Tabs } from "../parts/controls.js";
import { Beside, Head, Pane } from "../parts/layout.js";
import { Badge, Empty, EmptyPage, Loaded } from "../parts/states.js";
import { Pages, Table } from "../parts/table.js";
import { UserPicker } from "../parts/users.js";
import { NewZone, Zone } from "./zones-inspector.js";
import { zoneName } from "./records-place.js";
import { Deletions } from "./zones-deletions.js";
import { Decoder } from "./zones-token.js";
import { counted, stored } from "./usage-storage.js";

export const page = {
  name: "zones",
  title: "Zones and shares",
  icon: "zones",
  view,
  keys: () => ({ n: ["New zone", begin] }),
};

/** What is about no user's zones. */
const tools = {
  token: { text: "Change token", View: Decoder },
  deletions: { text: "Old deletions", View: Deletions },
};

const begin = () => go(to("zones", [user()], { new: "1" }));
const user = () => route.path[0] || userNames()[0] || "";

function view() {
  const database = route.query.database ?? "private";
  const tool = tools[route.query.tab];
  return [
    h(
      Head,
      {
        title: "Zones and shares",
        actions:
          !tool &&
            database === "private" && h(Button, { kind: "primary", icon: "plus", onclick: begin }, "New zone"),
      },
      h(Tabs, {
        label: "Show",
        tabs: [
          { text: "Own zones", isOn: !tool && database === "private", href: to("zones", [user()]) },
          {
            text: "Shared with them",
            isOn: !tool && database === "shared",
            href: to("zones", [user()], { database: "shared" }),
          },
          ...Object.entries(tools).map(([tab, { text, View }]) => ({
            text,
            isOn: tool?.View === View,
            href: to("zones", [user()], { tab }),
          })),
        ],
      }),
      !tool && h(UserPicker, {
        key: "user",
        label: "Of",
        shown: false,
        icon: "user",
        value: user(),
        options: userNames(),
        onchange: (event) => go(to("zones", [event.target.value], { database: route.query.database })),
      }),
    ),
    tool ? tool.View() : user() && List(user(), database),
  ];
}

function List(name, database) {
  const entry = paged(admin("zones", { database, user: name, after: route.query.after, sizes: "true" }));
  const isOwn = database !== "shared";
  const id = (zone) => zoneName(zone.zoneID, { database });
  const chosen = entry.value?.zones.find((zone) => id(zone) === route.path[1]);
  const owner = isOwn ? name : ownerOf(chosen);
  const shared = owner ? remote(admin("shares", { database: "private", user: owner })) : { value: { shares: [] } };
  return Beside(
    h(
      Pane,
      {
        class: "fill",
        key: "zones",
        foot:
          entry.value && h(Pages, { text: "", ...turn("after", entry.value.after) }),
      },
      Loaded(entry, ({ zones }) =>
        zones.length === 0
          ? EmptyPage(
              Empty(
                database === "shared" ? `Nobody shares a zone with ${name}` : `${name} has only the default zone`,
                undefined,
                "zones",
              ),
            )
          : h(Table, {
              label: `Zones of ${name}`,
              columns: columns(isOwn ? shared.value?.shares ?? [] : []),
              rows: zones,
              id,
              chosen: chosen && id(chosen),
              onopen: (zone) => go(to("zones", [name, id(zone)], { database: route.query.database, after: route.query.after })),
            })),
    ),
    route.query.new
      ? NewZone(name)
      : chosen && Zone(name, database, chosen, shared, owner),
  );
}

/** Whose zone it is: a share is among the zones of its owner, not of those who take part. */
const ownerOf = (zone) => knownUsers().find((user) => user.recordName === zone?.zoneID.ownerRecordName)?.name;

const columns = (shares) => [
  { title: "Zone", cell: (zone) => h("b", null, zone.zoneID.zoneName) },
  {
    title: "Last change",
    cell: (zone) =>
      zone.brume.changed ? h("span", { title: exactly(zone.brume.changed) }, moment(zone.brume.changed)) : "–",
  },
  { title: "Records", class: "right", cell: (zone) => counted(zone.brume) },
  { title: "Stored", class: "right", cell: (zone) => stored(zone.brume) },
  { title: "Batches", cell: (zone) => (zone.atomic ? "all or nothing" : "item by item") },
  {
    title: "Sharing",
    cell: (zone) =>
      zone.brume.hasShares
        ? h(Badge, { kind: "info", icon: "zones" }, people(shares, zone))
        : h("span.note", null, "not shared"),
  },
];

function people(shares, zone) {
  const own = shares.filter((share) => share.zoneID.zoneName === zone.zoneID.zoneName);
  const count = own.reduce((sum, share) => sum + share.participants.length, 0);
  return own.length === 0
    ? "shared"
    : `${own.length === 1 ? "one share" : `${own.length} shares`}, ${count === 1 ? "one person" : `${count} people`}`;
}
