// The tab of Apple's push service: who signs for which app. Keys go in and never come out.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to } from "../core/router.js";
import { draft, into, say } from "../core/state.js";
import { admin, place, placeFlags } from "../core/places.js";
import { Button, Field } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";
import { Beside, Pane } from "../parts/layout.js";
import { NewForm } from "../parts/new.js";
import { Empty, Loaded } from "../parts/states.js";
import { Table, actionColumn } from "../parts/table.js";
import { lastUse } from "./users-tokens.js";

export const title = "APNs";
export const newTitle = "Add key";
const shut = () => go(to("users", [], { tab: "apns" }));

export const begin = () => go(to("users", [], { tab: "apns", new: "1" }));

export const View = () =>
  Loaded(remote(admin("apns")), ({ senders }) =>
    Beside(
      h(
        Pane,
        { class: "fill", key: "apns" },
        senders.length === 0
          ? Empty(
              "No key of Apple's push service: iPhones get no pushes from here",
              h(Button, { icon: "plus", onclick: begin }, newTitle),
              "push",
            )
          : h(Table, { label: "Keys of Apple's push service", columns, rows: senders, id: (sender) => sender.topic }),
      ),
      route.query.new && Add(),
    ));

const columns = [
  { title: "Topic", cell: (sender) => h("b", null, sender.topic) },
  { title: "Team", cell: (sender) => h("code", null, sender.team) },
  { title: "Key ID", cell: (sender) => h("code", null, sender.keyID) },
  { title: "Last used", cell: (sender) => lastUse(sender) },
  actionColumn((sender) =>
    h(Button, { kind: "quiet", icon: "trash", label: `Remove ${sender.topic}`, onclick: () => remove(sender) })),
];

function remove(sender) {
  confirm({
    title: `Remove the key for ${sender.topic}`,
    word: sender.topic,
    button: "Remove",
    loses: "Apple's devices of this app get no pushes until a key is added again. What waits for them stays.",
    act: () => call(`/_brume/admin/apns/remove?${place()}`, { topic: sender.topic }).then(refresh),
    done: `${sender.topic} has no key now`,
  });
}

function Add() {
  const state = draft("apns.new", () => ({ topic: "", team: "", keyID: "", key: "", error: undefined }));
  const isComplete = [state.topic, state.team, state.keyID, state.key].every((text) => text.trim() !== "");
  return h(
    NewForm,
    {
      title: newTitle,
      note: h("code", null, `brume apns add${placeFlags()}`),
      draft: "apns.new",
      state,
      isReady: isComplete,
      button: "Add key",
      make: () =>
        call(`/_brume/admin/apns?${place()}`, {
          topic: state.topic.trim(),
          team: state.team.trim(),
          keyID: state.keyID.trim(),
          key: state.key,
        }),
      made: () => say(`Pushes of ${state.topic} are signed now`),
      onclose: shut,
    },
    h(Field, {
      label: "Topic",
      value: state.topic,
      oninput: into(state, "topic"),
      note: "The app's bundle ID.",
      created: (element) => element.focus(),
    }),
    h(Field, { label: "Team ID", value: state.team, oninput: into(state, "team") }),
    h(Field, { label: "Key ID", value: state.keyID, oninput: into(state, "keyID") }),
    h(Field, {
      label: "Key (.p8)",
      type: "area",
      class: "mono",
      value: state.key,
      oninput: into(state, "key"),
      note: "The file's text. It is kept by the server and not shown again.",
    }),
  );
}
