// Who stores how much: users with their quota, and the public databases.

import { paged } from "../core/calls.js";
import { h } from "../core/render.js";
import { format, go, route, to, turn } from "../core/router.js";
import { number, size } from "../core/words.js";
import { Pane } from "../parts/layout.js";
import { Badge, Empty, EmptyPage, Loaded } from "../parts/states.js";
import { Pages, Table } from "../parts/table.js";

export function Storage() {
  const query = new URLSearchParams({ limit: "50" });
  if (route.query.after) query.set("after", route.query.after);
  const entry = paged(`/_brume/admin/usage/storage?${query}`);
  return h(
    Pane,
    {
      key: "storage",
      title: "Storage",
      note: "names, values and files, as a quota counts them",
      foot:
        entry.value && (entry.value.after || route.query.after) && h(Pages, {
          text: "by name",
          ...turn("after", entry.value.after),
        }),
    },
    Loaded(entry, (storage) => {
      const rows = [...storage.public.map((place) => ({ ...place, isPublic: true })), ...storage.users];
      return rows.length === 0
        ? EmptyPage(Empty("No users, and nothing stored", undefined, "users"))
        : h(Table, {
            label: "Storage by user",
            columns: columns(storage.quota),
            rows,
            id: (row) => (row.isPublic ? `${row.container}/${row.environment}` : row.user),
            onopen: (row) => go(row.isPublic ? recordsOf(row) : to("users", [row.user])),
          });
    }),
  );
}

const recordsOf = ({ container, environment }) =>
  format({ ...route, container, environment, page: "records", path: [], query: {} });

/** What was counted, with a sign if there is more. */
export const counted = (row) => number(row.records) + (row.whole ? "" : "+");
export const stored = (row) => size(row.bytes) + (row.whole ? "" : " or more");

const columns = (quota) => [
  {
    title: "Of",
    cell: (row) =>
      row.isPublic
        ? [h("b", null, "Public"), ` ${row.container}, ${row.environment}`]
        : h("b", null, row.user),
  },
  { title: "Records", class: "right", cell: counted },
  { title: "Stored", class: "right", cell: stored },
  {
    title: "Quota",
    cell: (row) => (row.isPublic || quota === undefined ? h("span.note", null, "none") : Quota(row.bytes, quota)),
  },
];

export const Quota = (bytes, quota) => {
  const share = bytes / quota;
  const words = `${Math.round(share * 100)} % of ${size(quota)}`;
  return share >= 0.9
    ? h(Badge, { kind: share >= 1 ? "bad" : "wait", icon: "warn" }, words)
    : h("span", null, words);
};
