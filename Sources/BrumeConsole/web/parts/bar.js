// The bar: which container and environment, as whom; search, whether the figures are live, the theme.

import { health } from "../core/health.js";
import { containers, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { format, go, route, withQuery } from "../core/router.js";
import { isSignedIn, signOut, whoIsSignedIn } from "../core/session.js";
import { nextTheme, theme } from "../core/theme.js";
import { moment } from "../core/words.js";
import { Button, Picker } from "./controls.js";
import { Icon } from "./icons.js";
import { openSearch } from "./search.js";
import { UserPicker } from "./users.js";

/** What holds now; each press goes on to the next. */
const themes = {
  system: ["laptop", "Colours: as the system has them"],
  light: ["sun", "Colours: light"],
  dark: ["moon", "Colours: dark"],
};

export const Bar = () =>
  h(
    "header.bar",
    { key: "bar", class: route.query.as && "acting" },
    h(Button, { kind: "quiet", class: "menu", icon: "menu", label: "Menu", onclick: toggleMenu }),
    isSignedIn() && [
      h(Picker, {
        label: "Container",
        shown: false,
        class: "strong",
        icon: "box",
        value: route.container,
        options: containers(),
        onchange: (event) => move({ container: event.target.value }),
      }),
      h("span.slash", { "aria-hidden": "true" }, "/"),
      h(Picker, {
        label: "Environment",
        shown: false,
        class: "strong",
        value: route.environment,
        options: [["development", "Development"], ["production", "Production"]],
        onchange: (event) => move({ environment: event.target.value }),
      }),
      route.page === "records" && ActAs(),
    ],
    h(
      "div.actions",
      null,
      isSignedIn() && h(
        "button.search",
        { type: "button", onclick: openSearch, "aria-keyshortcuts": "Control+K" },
        Icon("search"),
        h("span", null, "Record, device, request ID…"),
        h("kbd", null, "Ctrl K"),
      ),
      isSignedIn() && Live(),
      h(Button, {
        kind: "quiet",
        icon: themes[theme()][0],
        label: themes[theme()][1],
        onclick: nextTheme,
      }),
      isSignedIn() && h(Button, {
        kind: "quiet",
        icon: "door",
        label: `Sign out ${whoIsSignedIn().operator.name}`,
        onclick: signOut,
      }),
    ),
  );

/** Whose rights hold: the operator sees everything, anybody else what is theirs, and only reads. */
const ActAs = () => [
  h("span.slash", { key: "slash", "aria-hidden": "true" }, "/"),
  h(UserPicker, {
    key: "as",
    label: "Act as",
    shown: false,
    icon: "user",
    value: route.query.as ?? "",
    options: [["", "Act as: operator"], ...userNames().map((name) => [name, `You read as ${name}`])],
    onchange: (event) => go(withQuery({ as: event.target.value, sel: "", new: "", after: "" })),
  }),
];

/** Another container or environment starts at the top of the same page. */
function move(change) {
  go(format({ ...route, ...change, path: [], query: {} }));
}

const Live = () =>
  health.since
    ? h("span.live.cut", null, Icon("wait"), `Not live since ${moment(health.since)}`)
    : h("span.live", { title: "Figures are asked for every 5 seconds" }, Icon("live"), "Live");

function toggleMenu() {
  document.body.classList.toggle("menu-open");
}
