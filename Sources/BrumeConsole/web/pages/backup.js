// Backup: all of the server in one file, from the browser, and back; and the commands that check such a file, bring it
// back elsewhere and export one user.

import { call } from "../core/calls.js";
import { placeFlags, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { health } from "../core/health.js";
import { draft, into, say, update } from "../core/state.js";
import { exactly, size } from "../core/words.js";
import { Button, Code, Field } from "../parts/controls.js";
import { download } from "../parts/download.js";
import { Head, Pane } from "../parts/layout.js";
import { Badge, Empty, Wrong } from "../parts/states.js";
import { UserPicker } from "../parts/users.js";
import { Files } from "./backup-files.js";
import { Restore } from "./backup-restore.js";
import { ExportButton } from "./users-export.js";

export const page = { name: "backup", title: "Backup", icon: "backup", view, keys: () => ({ n: ["Back up", begin] }) };

const path = "/_brume/admin/backups";
const blank = () => ({ id: "", state: "", bytes: 0, reason: "", taken: 0, file: "monday.brume", user: "" });
const state = () => draft("backup", blank);

function view() {
  return [
    h(Head, {
      title: "Backup",
      note: "All that the server has, in one file: records, users, secrets, assets.",
      actions: [h(Button, { kind: "primary", icon: "backup", onclick: begin }, "Back up")],
    }),
    h("div.stack", { key: "panes" }, Take(), Commands(), Restore(restoreCommands()), Export(), Files(`brume doctor --deep${where()}`)),
  ];
}

// MARK: Taking one

const Take = () =>
  h(
    Pane,
    { key: "take", title: "Download" },
    h(
      "div.body.stack",
      null,
      h(
        "p",
        null,
        "The file has every secret of the server and is not encrypted. Keep it where nobody else reads. ",
        "Saves go on while it is made.",
      ),
      Taken(state()),
      Wrong(state().error),
    ),
  );

function Taken({ state: made, bytes, reason, taken }) {
  switch (made) {
    case "making":
      return h("p", { role: "status" }, h(Badge, { kind: "wait" }, `The server writes its snapshot: ${size(bytes)}`));
    case "loading":
      return h("p", { role: "status" }, h(Badge, { kind: "wait" }, "The browser fetches it"));
    case "asked":
      return h(
        "p",
        { role: "status" },
        h(Badge, { kind: "info" }, "The browser fetches it"),
        " Its downloads say whether it came; check it then, as below.",
      );
    case "done":
      return h("p", { role: "status" }, h(Badge, { kind: "ok" }, `Fetched at ${exactly(taken)}`), " Check it as below.");
    case "failed":
      return h("p", { role: "alert" }, h(Badge, { kind: "bad" }, `The server could not make it: ${reason}`));
    default:
      return Empty("None yet", h(Button, { icon: "backup", onclick: begin }, "Back up"), "backup");
  }
}

/** Has a snapshot made, waits for it, and has the browser fetch the file. */
async function begin() {
  const now = state();
  if (now.state === "making" || now.state === "loading") return;
  Object.assign(now, blank(), { file: now.file, user: now.user, state: "making", error: undefined });
  update();
  try {
    now.id = (await call(path, {})).id;
    while (now.state === "making") {
      const answer = await call(`${path}?id=${now.id}`);
      Object.assign(now, { state: answer.state === "ready" ? "loading" : answer.state, ...rest(answer) });
      update();
      if (now.state === "making") await new Promise((resolve) => setTimeout(resolve, 300));
    }
    if (now.state === "loading") await fetchFile(now);
  } catch (error) {
    Object.assign(now, { state: "", error });
  }
  update();
}

/** The file's name; without one its first. */
const named = () => state().file.trim() || blank().file;

const rest = ({ bytes = 0, reason = "" }) => ({ bytes, reason });

async function fetchFile(now) {
  const isHere = await download(`${path}/file?id=${now.id}`, named());
  Object.assign(now, { state: isHere ? "done" : "asked", taken: Date.now() });
  if (isHere) say("The browser has the backup");
}

// MARK: Commands

const Commands = () =>
  h(
    Pane,
    { key: "verify", title: "Verify" },
    h(
      "div.body.stack",
      null,
      h(Field, { label: "File", id: "backup-file", value: state().file, oninput: into(state(), "file") }),
      h("p.note", null, "Reads all of the file, and says what is in it or where it is damaged. It asks no server."),
      h(Code, { text: `brume backup --verify ${file(named())}`, what: "the command that verifies" }),
      h("p.note", null, "From a shell, and later only what changed:"),
      h(Code, {
        text:
          `brume backup ${file(named())}${where()}\n`
          + `brume backup tuesday.brume --since ${file(named())}${where()}`,
        what: "the commands that back up",
      }),
    ),
  );

/** Into a folder of its own, and into this server from elsewhere. */
const restoreCommands = () =>
  `brume restore ${file(named())} --data ./brume-restored\n`
  + "brume serve --data ./brume-restored\n"
  + `brume restore ${file(named())} --url ${location.origin} --in-place`;

const Export = () =>
  h(
    Pane,
    { key: "export", title: "One user" },
    h(
      "div.body.stack",
      null,
      h(UserPicker, {
        label: "User",
        value: chosen(),
        options: userNames(),
        onchange: into(state(), "user"),
      }),
      h("p.note", null, "Zones, records and files of the private database here; shares and devices are not in it."),
      h("div.line", null, h(ExportButton, { user: chosen() })),
      h(Code, {
        text: ((name) =>
          `brume export ${option("user", name)} ${file(`${name}.jsonl`)}${placeFlags()}${where()}\n`
          + `brume import ${file(`${name}.jsonl`)}${placeFlags()}${where()}`)(chosen() || "alice"),
        what: "the commands that export and import",
      }),
    ),
  );

const chosen = () => state().user || userNames()[0] || "";

/** How the command finds this server: on its machine by the folder. */
export const where = () => (health.status?.data ? ` --data ${word(health.status.data)}` : "");

/** A word for a shell. */
const word = (text) => (/^[A-Za-z0-9_./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** An option with its value, which may begin as an option does. */
export const option = (name, value) => `--${name}${value.startsWith("-") ? "=" : " "}${word(value)}`;

/** A file's name for a shell; one that begins as an option does is named from its folder. */
const file = (name) => word(name.startsWith("-") ? `./${name}` : name);
