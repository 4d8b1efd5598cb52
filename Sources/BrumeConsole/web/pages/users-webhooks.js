// The tab of webhooks: addresses that the server calls with every change, and how those calls go.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to } from "../core/router.js";
import { draft, into, say } from "../core/state.js";
import { admin, place, placeFlags } from "../core/places.js";
import { number, plural } from "../core/words.js";
import { Button, Field } from "../parts/controls.js";
import { confirm, showOnce } from "../parts/dialogs.js";
import { Beside, Pane } from "../parts/layout.js";
import { NewForm } from "../parts/new.js";
import { Badge, Empty, Loaded } from "../parts/states.js";
import { Table, actionColumn } from "../parts/table.js";
import { lastUse } from "./users-tokens.js";

export const title = "Webhooks";
export const newTitle = "Add webhook";
const shut = () => go(to("users", [], { tab: "webhooks" }));

export const begin = () => go(to("users", [], { tab: "webhooks", new: "1" }));

export const View = () =>
  Loaded(remote(admin("webhooks")), ({ webhooks }) =>
    Beside(
      h(
        Pane,
        { class: "fill", key: "webhooks" },
        webhooks.length === 0
          ? Empty(
              "No program is called about changes",
              h(Button, { icon: "plus", onclick: begin }, newTitle),
              "webhook",
            )
          : h(Table, { label: "Webhooks", columns, rows: webhooks, id: (webhook) => webhook.id }),
      ),
      route.query.new && Add(),
    ));

const columns = [
  { title: "Address", cell: (webhook) => h("b", { title: webhook.url }, webhook.url) },
  {
    title: "State",
    cell: (webhook) =>
      webhook.state === "on" ? h(Badge, { kind: "ok" }, "On") : h(Badge, { kind: "bad" }, webhook.reason ?? "Off"),
  },
  {
    title: "Behind",
    class: "right",
    cell: (webhook) => (webhook.missed ? "changes were missed" : plural(webhook.behind, "change")),
  },
  { title: "Failures", class: "right", cell: (webhook) => number(webhook.failures) },
  { title: "Last used", cell: (webhook) => lastUse(webhook) },
  { title: "ID", cell: (webhook) => h("code", null, webhook.id) },
  actionColumn((webhook) => [
    webhook.state === "on"
      ? h(Button, { class: "small", onclick: () => act("disable", webhook, "is off") }, "Switch off")
      : h(Button, { class: "small", onclick: () => act("enable", webhook, "is on again") }, "Switch on"),
    h(Button, { class: "small", onclick: () => test(webhook) }, "Test"),
    h(Button, { kind: "quiet", icon: "trash", label: `Remove ${webhook.url}`, onclick: () => remove(webhook) }),
  ]),
];

async function act(verb, webhook, done) {
  try {
    await call(`/_brume/admin/webhooks/${verb}?${place()}`, { id: webhook.id });
    say(`${webhook.url} ${done}`);
    refresh();
  } catch (error) {
    say(error.message, true);
  }
}

async function test(webhook) {
  try {
    const line = await call(`/_brume/admin/webhooks/test?${place()}`, { id: webhook.id });
    say(
      `${webhook.url}: ${line.verdict}${line.status ? `, answered ${line.status}` : ""}${line.reason ? `, ${line.reason}` : ""}`,
      line.verdict !== "sent",
    );
  } catch (error) {
    say(error.message, true);
  }
}

function remove(webhook) {
  confirm({
    title: "Remove a webhook",
    word: webhook.id,
    button: "Remove",
    loses: `${webhook.url} is not called any more; ${plural(webhook.behind, "change")} that it has not had are not sent.`,
    act: () => call(`/_brume/admin/webhooks/remove?${place()}`, { id: webhook.id }).then(refresh),
    done: "The webhook is removed",
  });
}

function Add() {
  const state = draft("webhooks.new", () => ({ url: "", error: undefined }));
  return h(
    NewForm,
    {
      title: newTitle,
      note: h("code", null, `brume webhook add ${state.url || "URL"}${placeFlags()}`),
      draft: "webhooks.new",
      state,
      isReady: state.url.trim() !== "",
      button: "Add webhook",
      make: () => call(`/_brume/admin/webhooks?${place()}`, { url: state.url.trim() }),
      made: ({ secret }) =>
        showOnce({
          title: "Secret of the webhook",
          note: "Every call is signed with it. It is not shown again.",
          secret,
          what: "the secret",
        }),
      onclose: shut,
    },
    h(Field, {
      label: "Address",
      value: state.url,
      oninput: into(state, "url"),
      placeholder: "https://…",
      created: (element) => element.focus(),
    }),
  );
}
