// The tab of API tokens: which apps may call, from where. A token is shown when it is asked for.

import { call, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { go, route, to } from "../core/router.js";
import { draft, into, say } from "../core/state.js";
import { place, placeFlags } from "../core/places.js";
import { exactly, moment } from "../core/words.js";
import { Button, CopyButton, Field } from "../parts/controls.js";
import { RevokeButton } from "../parts/dialogs.js";
import { Beside, Pane } from "../parts/layout.js";
import { NameField, NewForm, hasName } from "../parts/new.js";
import { Empty, Loaded } from "../parts/states.js";
import { Table, actionColumn } from "../parts/table.js";

export const title = "API tokens";
export const newTitle = "New token";
const shut = () => go(to("users", [], { tab: "tokens" }));

export const begin = () => go(to("users", [], { tab: "tokens", new: "1" }));

/** Only those of this container and environment: another one is a choice in the bar. */
export const isHere = (item) => item.container === route.container && item.environment === route.environment;

export const View = () =>
  Loaded(remote("/_brume/admin/tokens"), ({ tokens }) => {
    const here = tokens.filter(isHere);
    return Beside(
      h(
        Pane,
        {
          class: "fill",
          key: "tokens",
          foot:
            here.length < tokens.length && h(
              "span.note",
              null,
              `${tokens.length - here.length} more in other containers and environments`,
            ),
        },
        here.length === 0
          ? Empty("No app may call this container yet", h(Button, { icon: "plus", onclick: begin }, newTitle), "key")
          : h(Table, { label: "API tokens", columns, rows: here, id: (token) => token.token }),
      ),
      route.query.new && NewToken(),
    );
  });

/** When something was used last; what is not known is said. */
export const lastUse = ({ lastUsed }) =>
  lastUsed
    ? h("span", { title: exactly(lastUsed) }, moment(lastUsed))
    : h("span.note", { title: "not since this server counts" }, "not yet");

const columns = [
  { title: "Name", cell: (token) => h("b", null, token.name) },
  { title: "Allowed origins", cell: (token) => token.origins?.join(", ") ?? "any" },
  { title: "Signs in at", cell: (token) => token.callback ?? "–" },
  { title: "Last used", cell: (token) => lastUse(token) },
  { title: "Token", cell: (token) => h("code", null, token.token.slice(0, 6) + "…") },
  actionColumn((token) => [
    h(CopyButton, { text: token.token, what: `the token ${token.name}`, kind: "quiet" }),
    h(RevokeButton, {
      name: token.name,
      loses: "Every app that uses this token stops at once, and its streams end. It cannot be brought back.",
      act: () => call(`/_brume/admin/tokens/revoke?${place()}`, { token: token.token }),
    }),
  ]),
];

function NewToken() {
  const state = draft("tokens.new", () => ({ name: "", origins: "", callback: "", error: undefined }));
  return h(
    NewForm,
    {
      title: newTitle,
      note: h("code", null, `brume token create ${state.name || "NAME"}${placeFlags()}`),
      draft: "tokens.new",
      state,
      isReady: hasName(state),
      button: "Create token",
      make: () => {
        const origins = state.origins.split(/[\s,]+/).filter(Boolean);
        return call(`/_brume/admin/tokens?${place()}`, {
          name: state.name.trim(),
          origins: origins.length > 0 ? origins : undefined,
          callback: state.callback || undefined,
        });
      },
      made: () => say(`${state.name} may call now`),
      onclose: shut,
    },
    NameField(state, "Shown to people who sign in."),
    h(Field, {
      label: "Allowed origins",
      type: "area",
      value: state.origins,
      oninput: into(state, "origins"),
      note: "One a line, such as https://app.example.org; empty: any.",
    }),
    h(Field, {
      label: "Address after signing in",
      value: state.callback,
      oninput: into(state, "callback"),
      note: "Empty: the sign-in answers the window that opened it.",
    }),
  );
}
