// The fields of a record as a list of editors: name, type, indexes, value; under an edited one what it was,
// and after a conflict what somebody else has saved.

import { h } from "../core/render.js";
import { to } from "../core/router.js";
import { short } from "../core/words.js";
import { update } from "../core/state.js";
import { example, hasLongLines, isEditable, plainType, shown, typed } from "../core/values.js";
import { Badge } from "../parts/states.js";
import { ValueDifference } from "../parts/diff.js";
import { Icon } from "../parts/icons.js";
import { Assets } from "./records-asset.js";
import { place, recordsAt } from "./records-query.js";

/** `isRead`: only to be read, because somebody else's rights hold. */
export const Fields = (fields, record, state, isRead) =>
  h(
    "div.record-fields",
    { key: "fields" },
    fields.map((field) => One(field, record, state, isRead)),
    fields.length === 0 && h("p.note", null, "This type has no fields yet."),
  );

/** A share's own fields: no schema lists them, and they are changed by who shares. */
export const ShareFields = (where, record) =>
  h(
    "div.stack",
    { key: "share" },
    h(
      "p.note",
      null,
      "Who takes part in this share stands in ",
      where.database === "private" ? h("a", { href: to("zones", [where.user, where.zone]) }, "its zone") : "its owner's zone",
      ".",
    ),
    Object.keys(record.fields).length > 0 && Fields(
      Object.entries(record.fields).map(([name, { type = "" }]) => ({
        name,
        type: type.replace(/^(.+)_LIST$/, "LIST<$1>"),
        indexes: [],
      })),
      record,
      { texts: {} },
      true,
    ),
  );

function One(field, record, state, isRead) {
  const value = record.fields[field.name];
  const before = typed(value?.value, field.type);
  const now = state.texts[field.name] ?? before;
  const isChanged = now !== before;
  const wrong = state.wrong?.[field.name];
  const name = "value-" + field.name;
  return h(
    "div.value",
    { key: field.name },
    h(
      "div.named",
      { id: isFile(value) && name },
      h("label", { for: name }, h("b", null, field.name), h("span.note", null, " " + plainType(field.type))),
      isChanged
        ? h(Badge, { kind: "info", icon: "pencil" }, "edited")
        : Letters(field.indexes),
    ),
    isEditable(field) && !isRead && !hasLongLines(value?.value)
      ? h(/^LIST/.test(field.type) || before.length > 60 || /[\r\n]/.test(before) ? "textarea" : "input", {
          id: name,
          value: now,
          rows: 3,
          placeholder: value === undefined ? example(field.type) || "no value" : "",
          "aria-invalid": wrong && "true",
          oninput: (event) => ((state.texts[field.name] = event.target.value), update()),
        })
      : !isFile(value) && h("p", { id: name }, value === undefined ? h("span.note", null, "no value") : shown(value)),
    hasLongLines(value?.value) && h("p.note", null, "An element has several lines: it cannot be changed here."),
    !isChanged && value !== undefined && References(value),
    value !== undefined && !value.isEncrypted && Assets(value),
    wrong && h("p.wrong", { role: "alert" }, wrong),
    isChanged && record.recordName && h(ValueDifference, { before, after: now }),
    Theirs(field, before, state.conflict),
  );
}

const isFile = (value) => /^ASSETID/.test(value?.type ?? "") && !value.isEncrypted;

const letters = { QUERYABLE: "Q", SORTABLE: "S", SEARCHABLE: "T" };

/** The indexes as Schema shows them; the words are there for whoever asks. */
function Letters(indexes) {
  const words = indexes.map((index) => index.toLowerCase()).join(", ");
  return indexes.length > 0 && h(
    "span.note",
    { title: words },
    h("span.unseen", null, words),
    h("span", { "aria-hidden": "true" }, Object.keys(letters).filter((one) => indexes.includes(one)).map((one) =>
      letters[one]).join(" ")),
  );
}

/** Where the records are that a value refers to. */
export const References = ({ value, type }) =>
  /^REFERENCE/.test(type ?? "") && [value].flat().filter((target) => target?.recordName).map((target) =>
    h(
      "a.target",
      { key: target.recordName, href: recordAt(target) },
      Icon("link"),
      h("code", null, short(target.recordName, 28)),
    ));

/** The address of the record of a reference; its page finds out the type. */
export function recordAt({ recordName, zoneID }) {
  const where = place();
  const zone = zoneID?.zoneName ?? where.zone;
  const named = where.database === "shared" && zoneID?.ownerRecordName ? `${zone}@${zoneID.ownerRecordName}` : zone;
  return recordsAt({ ...where, zone: named, type: undefined }, { sel: recordName });
}

function Theirs(field, before, conflict) {
  if (!conflict) return null;
  const other = typed(conflict.fields[field.name]?.value, field.type);
  return other !== before && h("p.was", null, h("span.note", null, "theirs "), other);
}
