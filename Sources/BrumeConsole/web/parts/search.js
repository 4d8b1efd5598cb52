// Ctrl K: goes to a page, a user, a container, or to the pushes of a request ID. A list of links; typing
// narrows it, arrows choose, Enter goes.

import { health } from "../core/health.js";
import { isOffered, pages } from "../core/pages.js";
import { containers, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { format, go, route, to } from "../core/router.js";
import { update } from "../core/state.js";
import { close, show } from "./dialogs.js";
import { Icon } from "./icons.js";

const most = 10;
let [text, chosen] = ["", 0];

export function openSearch() {
  [text, chosen] = ["", 0];
  show(View, "Search");
}

/** Everything that the text may mean, best first. */
function found() {
  const all = [
    ...pages.filter((page) => isOffered(page, health.status)).map((page) => ({
      icon: page.icon,
      text: page.title,
      kind: "page",
      href: to(page.name),
    })),
    ...userNames().map((name) => ({ icon: "user", text: name, kind: "user", href: to("users", [name]) })),
    ...containers().map((name) => ({
      icon: "box",
      text: name,
      kind: "container",
      href: format({ ...route, container: name, path: [], query: {} }),
    }))
  ];
  const wanted = text.trim().toLowerCase();
  const matches = all.filter((item) => item.text.toLowerCase().includes(wanted)).slice(0, most);
  if (/^[0-9a-f-]{8,}$/i.test(wanted)) {
    matches.push({
      icon: "push",
      text: text.trim(),
      kind: "request ID: its pushes",
      href: to("push", [], { request: text.trim() }),
    });
  }
  return matches;
}

function View() {
  const items = found();
  chosen = Math.max(0, Math.min(chosen, items.length - 1));
  return [
    h(
      "div.finder",
      null,
      Icon("search"),
      h("input", {
        type: "text",
        role: "combobox",
        "aria-label": "Search",
        "aria-expanded": "true",
        "aria-controls": "found",
        "aria-activedescendant": items.length > 0 && `found-${chosen}`,
        placeholder: "Page, user, container, request ID",
        autocomplete: "off",
        spellcheck: "false",
        value: text,
        created: (element) => element.focus(),
        oninput: (event) => (([text, chosen] = [event.target.value, 0]), update()),
        onkeydown: (event) => moved(event, items),
      }),
    ),
    h(
      "ul.found",
      { id: "found", role: "listbox", "aria-label": "Found" },
      items.map((item, index) =>
        h(
          "li",
          {
            key: item.href,
            id: `found-${index}`,
            role: "option",
            "aria-selected": index === chosen ? "true" : "false",
            onclick: () => leave(item),
          },
          Icon(item.icon),
          h("span", null, item.text),
          h("span.note", null, item.kind),
        )),
    ),
    items.length === 0 && h("p.note", null, "Nothing has this name."),
  ];
}

function moved(event, items) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    chosen = (chosen + step + items.length) % Math.max(1, items.length);
    event.preventDefault();
    update();
  } else if (event.key === "Enter" && items[chosen]) {
    event.preventDefault();
    leave(items[chosen]);
  }
}

function leave(item) {
  close();
  go(item.href);
}
