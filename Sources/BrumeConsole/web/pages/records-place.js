// Where records are looked for: database, user, zone, type. Each choice is a link to the same page there.

import { remote } from "../core/calls.js";
import { admin, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { go } from "../core/router.js";
import { Picker, Tabs } from "../parts/controls.js";
import { UserPicker } from "../parts/users.js";
import { schemaOf } from "./schema.js";
import { read } from "./schema-text.js";
import { route } from "../core/router.js";
import { recordsAt } from "./records-query.js";

const titles = { public: "Public", private: "Private", shared: "Shared" };

/** The types of the schema that hold records. */
export const typesOf = (entry) => read(entry.value?.schema ?? "").types;

/** The schema of the environment of the address. */
export const ownSchema = () => schemaOf(route.environment);

/** The zones of the database, as the operator's list has them. */
export const zonesOf = ({ database, user, as }) =>
  remote(admin("zones", { database, user: database === "public" ? "" : user, as }));

/** The name by which a zone stands in addresses: with its owner, if it is somebody else's. */
export const zoneName = (zone, where) =>
  where.database === "shared" && zone.ownerRecordName ? `${zone.zoneName}@${zone.ownerRecordName}` : zone.zoneName;

export function Place(where) {
  const users = userNames();
  const owner = where.user || where.as || users[0] || "";
  const zones =
    where.database === "public"
      ? ["_defaultZone"]
      : (zonesOf(where).value?.zones ?? []).map((zone) => zoneName(zone.zoneID, where));
  if (!zones.includes(where.zone)) zones.push(where.zone);
  return [
    h(Tabs, {
      label: "Database",
      tabs: Object.entries(titles).map(([database, text]) => ({
        text,
        isOn: database === where.database,
        href: recordsAt({
          database,
          user: database === "public" ? "" : owner,
          zone: "_defaultZone",
          type: where.type || undefined,
        }),
      })),
    }),
    where.database !== "public" && h(UserPicker, {
      key: "user",
      label: "Of",
      shown: false,
      icon: "user",
      value: where.user,
      options: users,
      onchange: (event) => go(recordsAt({ ...where, user: event.target.value, zone: "_defaultZone" })),
    }),
    where.database !== "public" && h(Picker, {
      key: "zone",
      label: "Zone",
      shown: false,
      icon: "zones",
      value: where.zone,
      options: zones.map((name) => [name, name.split("@")[0]]),
      onchange: (event) => go(recordsAt({ ...where, zone: event.target.value })),
    }),
  ];
}
