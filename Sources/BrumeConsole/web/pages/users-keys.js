// The tab of server-to-server keys: programs that sign their requests. The private half is shown once.

import { call, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to } from "../core/router.js";
import { draft, into } from "../core/state.js";
import { place, placeFlags } from "../core/places.js";
import { Button, CopyButton, Field } from "../parts/controls.js";
import { RevokeButton, showOnce } from "../parts/dialogs.js";
import { Beside, Pane } from "../parts/layout.js";
import { NameField, NewForm, hasName } from "../parts/new.js";
import { Empty, Loaded } from "../parts/states.js";
import { Table, actionColumn } from "../parts/table.js";
import { isHere, lastUse } from "./users-tokens.js";

export const title = "Server keys";
export const newTitle = "New key";
const shut = () => go(to("users", [], { tab: "keys" }));

export const begin = () => go(to("users", [], { tab: "keys", new: "1" }));

export const View = () =>
  Loaded(remote("/_brume/admin/keys"), ({ keys }) => {
    const here = keys.filter(isHere);
    return Beside(
      h(
        Pane,
        { class: "fill", key: "keys" },
        here.length === 0
          ? Empty("No program signs requests here", h(Button, { icon: "plus", onclick: begin }, newTitle), "key")
          : h(Table, { label: "Server keys", columns, rows: here, id: (key) => key.id }),
      ),
      route.query.new && NewKey(),
    );
  });

const columns = [
  { title: "Name", cell: (key) => h("b", null, key.name) },
  { title: "Key ID", cell: (key) => h("code", null, key.id) },
  { title: "Last used", cell: (key) => lastUse(key) },
  { title: "Writes as", cell: (key) => h("code", null, key.user) },
  actionColumn((key) => [
    h(CopyButton, { text: key.id, what: `the ID of ${key.name}`, kind: "quiet" }),
    h(RevokeButton, {
      name: key.name,
      loses: "Requests signed with this key are refused from now on. What it wrote stays.",
      act: () => call(`/_brume/admin/keys/revoke?${place()}`, { id: key.id }),
    }),
  ]),
];

function NewKey() {
  const state = draft("keys.new", () => ({ name: "", publicKey: "", error: undefined }));
  return h(
    NewForm,
    {
      title: newTitle,
      note: h("code", null, `brume key create ${state.name || "NAME"}${placeFlags()}`),
      draft: "keys.new",
      state,
      isReady: hasName(state),
      button: "Create key",
      make: () =>
        call(`/_brume/admin/keys?${place()}`, {
          name: state.name.trim(),
          publicKey: state.publicKey.trim() || undefined,
        }),
      made: ({ name, privateKey }) =>
        privateKey && showOnce({
          title: `Private key of ${name}`,
          note: "The server does not keep it, and it is not shown again.",
          secret: privateKey,
          what: "the private key",
          lines: true,
        }),
      onclose: shut,
    },
    NameField(state),
    h(Field, {
      label: "Public key (PEM)",
      type: "area",
      class: "mono",
      value: state.publicKey,
      oninput: into(state, "publicKey"),
      note: "Empty: the server makes a pair and shows you the private half, once.",
    }),
  );
}
