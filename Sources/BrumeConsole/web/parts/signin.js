// The page of somebody who has not signed in: by name and password or an OpenID provider on a page of its own, or with
// an admin token for this tab.

import { forget, refresh } from "../core/calls.js";
import { askHealth } from "../core/health.js";
import { h } from "../core/render.js";
import { keepAddress } from "../core/router.js";
import { signIn } from "../core/session.js";
import { draft, drop, into, sendOnce } from "../core/state.js";
import { Button, Code, Field, LinkButton } from "./controls.js";
import { Icon } from "./icons.js";
import { Wrong } from "./states.js";

const send = (state) =>
  sendOnce(state, async () => {
    forget();
    const isKnown = await signIn(state.token).catch(() => {
      throw new Error("The server does not answer.");
    });
    if (!isKnown) throw new Error("This is no admin token of this server.");
    drop("sign-in");
    refresh();
    askHealth();
  });

export function SignIn() {
  const state = draft("sign-in", () => ({ token: "", error: undefined, isBusy: false }));
  return h(
    "form.signin.pane",
    { key: "sign-in", onsubmit: (event) => (event.preventDefault(), send(state)) },
    Icon("brume"),
    h("h1", { id: "title", tabindex: -1 }, "Operate this server"),
    h("p", null, "Brume is CloudKit that you can run. Its console is for operators."),
    h(LinkButton, { kind: "primary", href: "/_brume/console/signin", onclick: keepAddress }, "Sign in"),
    h(Field, {
      label: "Or an admin token",
      type: "password",
      value: state.token,
      oninput: into(state, "token"),
      note: "Kept in this tab until it is closed.",
      created: (element) => element.focus(),
    }),
    Wrong(state.error),
    h(Button, { type: "submit", disabled: state.isBusy || state.token.trim() === "" }, "Use the token"),
    h("p.note", null, "The owner's token stands in the server's data folder:"),
    h(Code, { text: "cat brume-data/server.json", what: "the command", label: "Command" }),
  );
}
