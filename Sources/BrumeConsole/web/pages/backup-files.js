// Whether the files of records are all there: what the server's books say against what the folder or bucket has. Asked
// for by a button, because a large place takes a while.

import { call } from "../core/calls.js";
import { health } from "../core/health.js";
import { h } from "../core/render.js";
import { draft, update } from "../core/state.js";
import { exactly, number, plural } from "../core/words.js";
import { Button, Code } from "../parts/controls.js";
import { Pane } from "../parts/layout.js";
import { Badge, Loading, Wrong } from "../parts/states.js";

/** As many names as the server lists of each kind. */
const mostListed = 1000;
const blank = () => ({ report: undefined, time: 0, error: undefined, isBusy: false });
const state = () => draft("backup.files", blank);

/** `command` reads all files too. */
export function Files(command) {
  const now = state();
  return h(
    Pane,
    { key: "files", title: "Files of records" },
    h(
      "div.body.stack",
      null,
      h("p", null, "After a restore of the database or of the files alone, some may be missing, and others belong to nothing."),
      now.report && Report(now),
      now.isBusy && Loading(),
      Wrong(now.error),
      h("div.line", null, h(Button, { icon: "retry", disabled: now.isBusy, onclick: () => check(now) }, "Check the files")),
      Damaged(),
      h("details", { key: "deep" }, h("summary", null, "From a shell, reading each of them"), h(Code, {
        text: command,
        what: "the command that reads all files",
      })),
    ),
  );
}

async function check(now) {
  Object.assign(now, { ...blank(), isBusy: true });
  update();
  try {
    Object.assign(now, { report: await call("/_brume/admin/assets/check"), time: Date.now() });
  } catch (error) {
    now.error = error;
  }
  now.isBusy = false;
  update();
}

function Report({ report: { files, objects, missing, unknown, hasMetDamage }, time }) {
  return h(
    "div.stack",
    { key: "report", role: "status" },
    h("p.note", null, `${plural(files, "file")} and ${plural(objects, "object")} looked at, ${exactly(time)}`),
    missing.length === 0
      ? h("p", { key: "missing" }, h(Badge, { kind: "ok" }, "No file is missing"))
      : Listed("missing", h(Badge, { kind: "bad" }, `${counted(missing, "file")} without bytes`), missing,
          "Restore the folder or bucket that belongs to this database, or upload them again. By their checksums:"),
    hasMetDamage
      ? h("p", { key: "unknown" }, h(Badge, { kind: "bad" }, "Damaged rows were met: the server's log names them"))
      : unknown.length === 0
      ? h("p", { key: "unknown" }, h(Badge, { kind: "ok" }, "Nothing is orphaned"))
      : Listed("unknown", h(Badge, { kind: "wait" }, `${counted(unknown, "object")} of no file`), unknown,
          "They take room and harm nothing. By their names:"),
  );
}

const counted = (names, noun) => plural(names.length, noun) + (names.length >= mostListed ? " or more" : "");

const Listed = (key, badge, names, note) =>
  h(
    "details",
    { key },
    h("summary", null, badge),
    h("p.note", null, note),
    h("pre.lines", { tabindex: 0, role: "region", "aria-label": key }, names.join("\n")),
  );

/** What was met since the start, while somebody read it. */
const Damaged = () =>
  health.status?.damagedRows > 0 &&
    h(
      "p",
      { key: "damaged" },
      h(Badge, { kind: "bad" }, `${number(health.status.damagedRows)} damaged rows or files`),
      " were met since the server began; its log names them.",
    );
