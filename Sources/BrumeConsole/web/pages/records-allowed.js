// "Would bob be allowed?": asks the server's own rules about one record and one user, and shows the grant
// that decides.

import { remote } from "../core/calls.js";
import { admin, chosenUser, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { draft, into } from "../core/state.js";
import { Badge, Loaded } from "../parts/states.js";
import { UserPicker } from "../parts/users.js";
import { database, zoneID } from "./records-query.js";

export function Allowed(where, record) {
  const state = draft("records.allowed", () => ({ user: "" }));
  const users = userNames();
  const user = chosenUser(state.user, users[1] ? users.slice(1).concat(users[0]) : users);
  return h(
    "div.allowed",
    { key: "allowed" },
    h(
      "div.line",
      null,
      h(UserPicker, { label: "Would", icon: "user", value: user, options: users, onchange: into(state, "user") }),
      h("p.note", null, "be allowed to"),
    ),
    user && ["read", "write"].map((action) => Answer(action, where, record, user)),
  );
}

const Answer = (action, where, record, user) =>
  h(
    "div",
    { key: action },
    Loaded(
      remote(admin("allowed"), {
        ...database(where),
        as: user,
        action,
        zoneID: zoneID(where),
        recordName: record.recordName,
      }),
      ({ allowed, reason }) =>
        h(
          "div.answer",
          { key: action },
          h(Badge, { kind: allowed ? "ok" : "bad" }, action),
          h("span.note", null, reason),
        ),
    ),
  );
