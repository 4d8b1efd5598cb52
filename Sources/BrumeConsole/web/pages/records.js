// Records: what is stored, and who may see it? The place, the query, the table in pages of 50, the record
// that is open.

import { paged, remote } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { go, route, turn, withQuery } from "../core/router.js";
import { short } from "../core/words.js";
import { Button, CopyButton } from "../parts/controls.js";
import { Beside, Head, Inspector, Pane } from "../parts/layout.js";
import { Empty, EmptyPage, Loaded } from "../parts/states.js";
import { Pages, Table } from "../parts/table.js";
import { Columns, columns } from "./records-columns.js";
import { openCondition, Query } from "./records-conditions.js";
import { Restorable } from "./records-delete.js";
import { NewRecord, Record } from "./records-inspector.js";
import { ownSchema, Place, typesOf } from "./records-place.js";
import {
  curl,
  database,
  exact,
  pageSize,
  place,
  query,
  recordsAt,
  withConditions,
  zoneID,
} from "./records-query.js";

export const page = {
  name: "records",
  title: "Records",
  icon: "records",
  view,
  keys: () => ({
    ...(canMake() && { n: ["New record", begin] }),
    "/": ["Another condition", openCondition],
    e: [
      "Edit the first field",
      () => document.querySelector(".inspector .value input, .inspector .value textarea")?.focus(),
    ],
    "ctrl+s": [
      "Save the record",
      (event) => event.repeat || document.querySelector(".inspector button.save:not(:disabled)")?.click(),
    ],
  }),
};

/** Who looks with the rights of a user only looks. */
const canMake = () => !route.query.as;
const NewButton = () => canMake() && h(Button, { icon: "plus", onclick: begin }, "New record");

const begin = () => go(withQuery({ new: "1", sel: "" }));

function view() {
  const schema = ownSchema();
  const where = place();
  return [
    h(
      Head,
      {
        title: "Records",
        actions:
          canMake() && where.type !== "-" && h(Button, { kind: "primary", icon: "plus", onclick: begin }, "New record"),
      },
      Place(where),
    ),
    Loaded(schema, () => {
      const types = typesOf(schema);
      if (types.length === 0)
        return h(
          Pane,
          { class: "fill", key: "none" },
          Empty("No record types yet: the first save makes one", NewButton(), "records"),
        );
      const type =
        types.find((type) => type.name === where.type) ?? types.find((type) => type.name !== "Users") ?? types[0];
      return Page({ ...where, type: type.name }, types, type.fields);
    }),
    route.query.new && canMake() && typesOf(schema).length === 0 && NewRecord(where, [], close),
  ];
}

function Page(where, types, fields) {
  let entry;
  try {
    const body = {
      ...database(where),
      ...exact,
      zoneID: zoneID(where),
      query: query(where, fields),
      resultsLimit: pageSize,
      continuationMarker: where.after,
    };
    entry = paged(admin("records/query"), body);
  } catch (error) {
    entry = { error };
  }
  const records = entry.value?.records ?? [];
  const chosen =
    records.find((record) => record.recordName === route.query.sel) ??
      (entry.value && route.query.sel ? elsewhere(where, types) : undefined);
  return [
    Query(where, types, fields, entry),
    Restorable(),
    Beside(
      h(
        Pane,
        { class: "fill", key: "records", foot: entry.value && Foot(where, fields, entry.value) },
        Loaded(entry, ({ records, plan }) =>
          records.length === 0
            ? (plan?.missing.length > 0 ? NotRun() : EmptyPage(Nothing(where)))
            : h(Table, {
                label: `${where.type} in ${where.zone}`,
                columns: columns(where, fields),
                rows: records,
                id: (record) => record.recordName,
                chosen: chosen?.recordName,
                onopen: (record) => go(withQuery({ sel: record.recordName, new: "" })),
              })),
      ),
      route.query.new && canMake()
        ? NewRecord(where, types, close)
        : chosen && !chosen.fields
        ? Missing(chosen)
        : chosen && Record(where, chosen, chosen.recordType === where.type ? fields : [], close),
    ),
  ];
}

/** The record of a link that is not among those of this page: of a later one, or of another type. Shares have none there. */
function elsewhere(where, types) {
  const body = { ...database(where), ...exact, zoneID: zoneID(where), records: [{ recordName: route.query.sel }] };
  const record = remote(admin("records/lookup"), body).value?.records[0];
  if (!record) return undefined;
  if (!record.fields) return record;
  if (!types.some(({ name }) => name === record.recordType) || record.recordType === where.type) return record;
  queueMicrotask(() => go(recordsAt({ ...where, type: record.recordType }, { sel: record.recordName }), true));
  return undefined;
}

const close = () => go(withQuery({ sel: "", new: "" }));

const NotRun = () => Empty("The query was not run: it needs the index that is named above", undefined, "warn");

/** An error stands in the place of the record. */
const Missing = ({ serverErrorCode, reason }) =>
  h(
    Inspector,
    {
      key: "missing",
      title: short(route.query.sel, 24),
      note: serverErrorCode === "NOT_FOUND" ? "not here" : "cannot be read",
      onclose: close,
    },
    h("div", null, h("p", null, reason)),
  );

function Nothing(where) {
  if (where.conditions.length === 0)
    return Empty(`No ${where.type} in this zone`, NewButton(), "records");
  const rest = where.conditions.slice(0, -1);
  return Empty(
    "No match",
    h(Button, { icon: "close", onclick: () => go(withConditions(rest)) }, "Remove the last condition"),
    "search",
  );
}

function Foot(where, fields, { records, continuationMarker }) {
  const text =
    records.length === 0 ? "" : `${records.length} shown${continuationMarker ? ", more follow" : ", the last ones"}`;
  return h(
    "div.pages",
    null,
    h(Pages, {
      text,
      ...turn("after", continuationMarker, { sel: "" }),
    }),
    Columns(fields),
    h(CopyButton, { text: () => curl(where, fields), what: "the query as a command" }, "Copy as curl"),
  );
}
