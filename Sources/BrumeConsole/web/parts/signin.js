// The page of somebody who has not signed in: asks for the admin token once.

import { askHealth } from "../core/health.js";
import { call, forget, refresh } from "../core/calls.js";
import { h } from "../core/render.js";
import { signedOut, signIn } from "../core/session.js";
import { draft, drop, into, update } from "../core/state.js";
import { Button, Code, Field } from "./controls.js";
import { Icon } from "./icons.js";
import { Wrong } from "./states.js";

async function send(state) {
  Object.assign(state, { error: undefined, isBusy: true });
  update();
  try {
    forget();
    await signIn(state.token, () => call("/_brume/admin/status"));
    drop("sign-in");
    refresh();
    askHealth();
  } catch (error) {
    signedOut();
    Object.assign(state, { error, isBusy: false });
    update();
  }
}

export function SignIn() {
  const state = draft("sign-in", () => ({ token: "", error: undefined, isBusy: false }));
  return h("form.signin.pane", { key: "sign-in", onsubmit: (event) => (event.preventDefault(), send(state)) },
    Icon("brume"),
    h("h1", { id: "title", tabindex: -1 }, "Operate this server"),
    h("p", null, "Brume is CloudKit that you can run. The console needs the admin token of the server."),
    h(Field, { label: "Admin token", type: "password", value: state.token, oninput: into(state, "token"),
      note: "Kept in this tab until it is closed.", created: (element) => element.focus() }),
    Wrong(state.error && state.error.status === 401 ? { message: "This is not the admin token of this server." } : state.error),
    h(Button, { kind: "primary", type: "submit", disabled: state.isBusy || state.token.trim() === "" }, "Sign in"),
    h("p.note", null, "It stands in the server's data folder, for its owner only:"),
    h(Code, { text: "cat brume-data/server.json", what: "the command", label: "Command" }));
}
