// The bar that writes as one of the phones: a record in the public database, or in a zone of the user.

import { describe, phones } from "../core/phone.js";
import { h } from "../core/render.js";
import { draft, into, update } from "../core/state.js";
import { Button, Field, Picker } from "../parts/controls.js";
import { Wrong } from "../parts/states.js";
import { ownSchema, typesOf } from "./records-place.js";
import { isSystem } from "./schema-text.js";

const blank = () => ({ phone: 0, database: "public", type: "", field: "", text: "", error: undefined });
const none = [{ name: "Note", fields: [{ name: "title", type: "STRING", indexes: [] }] }];

/** What the pickers offer and what is chosen of it. */
function choice(state) {
  const found = typesOf(ownSchema()).filter((type) => type.name !== "Users" && texts(type).length > 0);
  const types = found.length > 0 ? found : none;
  const type = types.find((type) => type.name === state.type) ?? types[0];
  const field = texts(type).find((field) => field.name === state.field) ?? texts(type)[0];
  for (const phone of phones) phone.types = types.map((type) => type.name).slice(0, 5);
  return { types, type, field, phone: phones[state.phone] ?? phones.find((phone) => phone.client) ?? phones[0] };
}

const texts = (type) =>
  type.fields.filter((field) => !isSystem(field) && field.type === "STRING" && !field.isEncrypted);

export function WriteBar() {
  const state = draft("devices.write", blank);
  const { types, type, field, phone } = choice(state);
  return h(
    "form.pane.write",
    { key: "write", "aria-label": "Write as a device", onsubmit: (event) => (event.preventDefault(), save()) },
    h(
      "div.line",
      null,
      h(Picker, {
        label: "On",
        icon: "devices",
        value: String(phones.indexOf(phone)),
        options: phones.map((phone, index) => [String(index), `${phone.user}, ${phone.name}`]),
        onchange: (event) => ((state.phone = Number(event.target.value)), update()),
      }),
      h(Picker, {
        label: "In",
        value: state.database,
        options: [["public", "the public database"], ["private", "the zone Console, private"]],
        onchange: into(state, "database"),
      }),
      h(Picker, {
        label: "Save a",
        value: type.name,
        options: types.map((type) => type.name),
        onchange: into(state, "type"),
      }),
      h(Picker, {
        label: "Field",
        value: field.name,
        options: texts(type).map((field) => field.name),
        onchange: into(state, "field"),
      }),
      h(Field, { label: "Value", wide: true, value: state.text, placeholder: "hello", oninput: into(state, "text") }),
      h(Button, { kind: "primary", type: "submit", keys: "Ctrl Enter" }, "Save"),
    ),
    Wrong(state.error),
  );
}

/** Saves as the phone that is chosen; the others see it if they watch. */
export async function save() {
  const state = draft("devices.write", blank);
  const { type, field, phone } = choice(state);
  if (!phone) return;
  state.error = undefined;
  try {
    const database = phone.database(state.database);
    const zoneID = state.database === "private" ? (await database.createZone("Console")).zoneID : undefined;
    const fields = { [field.name]: state.text || "hello" };
    const record = await database.saveRecord({ recordType: type.name, fields }, { zoneID });
    phone.note("pencil", `saved ${describe(record)}`);
  } catch (error) {
    state.error = error;
  }
  update();
}
