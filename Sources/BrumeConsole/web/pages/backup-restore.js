// Restore in place: a backup is sent, checked and written beside the live data, and applied at a typed word. Then the
// server starts anew on it. What this server cannot do it says, with the command that does.

import { call, Failure, forget, refresh } from "../core/calls.js";
import { health } from "../core/health.js";
import { h } from "../core/render.js";
import { onArrival, route } from "../core/router.js";
import { proof } from "../core/session.js";
import { draft, say, update } from "../core/state.js";
import { exactly, number, plural, size } from "../core/words.js";
import { Button, Code } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";
import { Facts, Pane } from "../parts/layout.js";
import { Badge, Failed, Loaded, Wrong } from "../parts/states.js";

const path = "/_brume/admin/backups/restore";
const pause = 500;
const blank = () => ({ report: undefined, file: undefined, error: undefined, isAsking: false, isWaiting: false });
const state = () => draft("backup.restore", blank);

// Another tab may have sent, applied or thrown one away since this page was left.
onArrival((before) => {
  const now = state();
  if (route.page !== "backup" || before.page === "backup" || now.isAsking || now.isWaiting) return;
  Object.assign(now, { report: undefined, error: undefined });
});

/** The pane; `commands` restore into a folder of its own. */
export function Restore(commands) {
  const now = state();
  if (!now.report && !now.isAsking && !now.error) ask();
  return h(
    Pane,
    { key: "restore", title: "Restore" },
    Loaded({ value: now.report, error: now.report ? undefined : now.error, retry: () => again(now) }, () =>
      h("div.body.stack", { key: "body" }, Restored(now.report.restored), Body(now, commands), Trouble(now))),
  );
}

/** What is under way is not asked about any more after an error: somebody has to say so. */
const Trouble = (now) =>
  now.error && isBusy(now.report) ? Failed(now.error, true, () => goOn(now)) : Wrong(now.error);

function Body(now, commands) {
  if (now.report.obstacle) {
    return [
      h("p", { key: "obstacle" }, now.report.obstacle.replace(/^t/, "T"), "."),
      h(Code, { key: "commands", text: named(now.report.obstacle), what: "the commands that restore" }),
    ];
  }
  if (now.isWaiting) return h("p", { role: "status" }, h(Badge, { kind: "wait" }, "The server starts anew"));
  return [
    h(
      "p",
      { key: "about" },
      "The server checks all of the file and writes it beside its data; nothing changes until you apply it. What was ",
      "there stays in its data folder until the next restore. Only a whole backup can be sent; one that continues ",
      "another needs the command.",
    ),
    h("div.stack", { key: "step" }, Step(now)),
    h("details", { key: "shell" }, h("summary", null, "From a shell"), h(Code, { text: commands, what: "the commands that restore" })),
  ];
}

/** The commands that a refusal says to type, in its order. */
const named = (obstacle) => [...obstacle.matchAll(/'((?:brume|createdb) [^']*)'/g)].map(([, line]) => line).join("\n");

const Restored = (backup) =>
  backup && h("p", { key: "restored" }, h(Badge, { kind: "ok" }, `This server started on the backup of ${exactly(backup.made)}`));

function Step(now) {
  const { state: step, bytes = 0, of = 0, rows = 0, reason, backup } = now.report;
  const busy = (text) =>
    h(
      "div.line",
      null,
      h("span", { role: "status" }, h(Badge, { kind: "wait" }, text)),
      h(Button, { class: "small", onclick: remove }, "Throw it away"),
    );
  switch (step) {
    case "receiving":
      return busy(`The server receives it: ${size(bytes)}${now.file ? ` of ${size(now.file.size)}` : ""}`);
    case "checking":
      return busy(`The server checks it: ${size(bytes)} of ${size(of)}`);
    case "writing":
      return busy(rows ? `The server writes it: ${plural(rows, "row")} of a table` : `The server writes files: ${size(bytes)}`);
    case "ready":
      return Ready(backup);
    case "applied":
      return h("p", { role: "status" }, h(Badge, { kind: "wait" }, "Restart the server: it takes the backup up"));
    default:
      return [
        reason && h("p", { key: "failed", role: "alert" }, h(Badge, { kind: "bad" }, `It is not restored: ${reason}`)),
        Choose(now),
      ];
  }
}

const Choose = (now) =>
  h(
    "form.line",
    { key: "choose", onsubmit: (event) => (event.preventDefault(), send()) },
    h(
      "div.field",
      null,
      h("label", { for: "restore-file" }, "Backup"),
      h("input", {
        id: "restore-file",
        type: "file",
        accept: ".brume",
        onchange: (event) => ((now.file = event.target.files[0]), (now.error = undefined), update()),
      }),
    ),
    h(Button, { type: "submit", icon: "retry", disabled: !now.file }, "Send to the server"),
    // The field of a page that one comes back to is empty.
    now.file && h("span.note", { key: "file" }, `${now.file.name}, ${size(now.file.size)}`),
  );

const Ready = (backup) => [
  h("p", { key: "ready" }, h(Badge, { kind: "ok" }, "It is whole, and waits for your word")),
  h(
    "div",
    { key: "facts" },
    Facts([
      ["Made", exactly(backup.made)],
      ["Rows", number(backup.rows)],
      ["Assets", `${number(backup.assets)}, ${size(backup.bytes)}`],
      ["Assets lost before", backup.missing ? number(backup.missing) : undefined],
      ["ID", h("code", null, backup.id)],
    ]),
  ),
  h(
    "div.line",
    { key: "acts" },
    h(Button, { kind: "danger", icon: "retry", onclick: () => apply(backup) }, "Apply…"),
    h(Button, { onclick: remove }, "Throw it away"),
  ),
];

// MARK: Acts

function again(now) {
  now.error = undefined;
  update();
}

function goOn(now) {
  now.error = undefined;
  ask();
}

/** Asks how far it is, and again as long as something is under way. */
async function ask() {
  const now = state();
  if (now.isAsking) return;
  now.isAsking = true;
  try {
    do {
      now.report = await call(path);
      update();
      if (isBusy(now.report)) await rest();
    } while (isBusy(now.report) && !now.isWaiting);
  } catch (error) {
    // Whoever signs in asks anew, also about what was under way.
    if (error.isSignedOut) now.report = undefined;
    else now.error = error;
  }
  now.isAsking = false;
  update();
}

const isBusy = ({ state: step }) => ["receiving", "checking", "writing"].includes(step);
const rest = () => new Promise((resolve) => setTimeout(resolve, pause));

/** The browser sends the file from its disk, and asks meanwhile how much arrived. */
async function send() {
  const now = state();
  if (!now.file) return;
  Object.assign(now, { error: undefined, report: { ...now.report, state: "receiving", bytes: 0 } });
  update();
  const sent = sendFile(now.file).catch((error) => (now.error = error));
  await Promise.race([sent, rest()]);
  ask();
  await sent;
  ask();
}

async function sendFile(file) {
  const headers = { ...proof(true), "content-type": "application/octet-stream" };
  let answer;
  try {
    answer = await fetch(path, { method: "POST", headers, body: file });
  } catch {
    throw new Failure(0, null, "");
  }
  if (!answer.ok) throw new Failure(answer.status, await answer.json().catch(() => null), "");
}

async function remove() {
  const now = state();
  try {
    await call(`${path}/remove`, { id: now.report.id });
    Object.assign(now, { file: undefined, error: undefined });
  } catch (error) {
    now.error = error;
  }
  ask();
}

/** How many users there are, if the server has said it. */
const counted = () => (health.status ? ` (${number(health.status.users)})` : "");

const apply = (backup) =>
  confirm({
    title: "Apply a backup",
    loses:
      `All that was saved since ${exactly(backup.made)} is not in it. All users of this server${counted()} go back to it, `
      + "what was revoked since is valid again, and operators who came since are gone. The server "
      + "starts anew, and its clients fetch everything once.",
    word: backup.id.slice(0, 8),
    button: "Apply",
    act: async () => {
      const now = state();
      now.report = await call(`${path}/apply`, { id: now.report.id });
      if (now.report.restarts) wait();
    },
  });

/** Waits for the server that starts anew; who is signed in there is another question. */
async function wait() {
  const now = state();
  now.isWaiting = true;
  update();
  for (;;) {
    await rest();
    const answer = await fetch(path, { headers: proof(false) }).catch(() => undefined);
    const report = answer?.ok ? await answer.json().catch(() => undefined) : undefined;
    if (answer?.status === 401 || (report && report.state !== "applied")) break;
  }
  Object.assign(now, blank());
  forget();
  refresh();
  say("The server runs on the backup");
}
