// Ctrl K: goes to a page, a user, a container, a device, a record by its name, or to all that is known of a request
// ID. A list of links; typing narrows it, arrows choose, Enter goes. Records are asked for when typing pauses.

import { health } from "../core/health.js";
import { isOffered, pages } from "../core/pages.js";
import { remote } from "../core/calls.js";
import { admin, areMoreUsers, containers, userNames, usersNamed } from "../core/places.js";
import { h } from "../core/render.js";
import { format, go, route, to } from "../core/router.js";
import { update } from "../core/state.js";
import { database, place, recordsAt, zoneID } from "../pages/records-query.js";
import { close, show } from "./dialogs.js";
import { Icon } from "./icons.js";

const most = 10;
const pause = 200;
const mostUsers = 5;
let [text, chosen, asked, timer] = ["", 0, "", 0];

export function openSearch() {
  [text, chosen, asked] = ["", 0, ""];
  show(View, "Search");
}

function typed(value) {
  [text, chosen] = [value, 0];
  clearTimeout(timer);
  timer = setTimeout(() => ((asked = text.trim()), update()), pause);
  update();
}

const isRequestID = (wanted) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(wanted);

/** Everything that the text may mean, best first. */
function found() {
  const wanted = text.trim();
  if (isRequestID(wanted)) {
    return [
      { icon: "logs", text: wanted, kind: "request: log, trace, pushes", href: to("logs", [], { request: wanted }) },
      ...records(wanted),
    ];
  }
  const matches = [...places(), ...devices(wanted)].filter((item) =>
    item.text.toLowerCase().includes(wanted.toLowerCase()));
  return [...records(wanted), ...matches].slice(0, most);
}

/** Pages, users and containers. */
const places = () => [
  ...pages.filter((page) => isOffered(page, health.status)).map((page) => ({
    icon: page.icon,
    text: page.title,
    kind: "page",
    href: to(page.name),
  })),
  ...usersNow().map((name) => ({ icon: "user", text: name, kind: "user", href: to("users", [name]) })),
  ...containers().map((name) => ({
    icon: "box",
    text: name,
    kind: "container",
    href: format({ ...route, container: name, path: [], query: {} }),
  })),
];

/** All users; of very many those whose names begin so. */
const usersNow = () =>
  !areMoreUsers() ? userNames() : asked === "" ? [] : (remote(usersNamed(asked, most)).value?.users ?? []).map(({ name }) => name);

/** Devices of this container; each leads to what was pushed to it. */
const devices = (wanted) =>
  wanted === ""
    ? []
    : (remote(admin("devices")).value?.devices ?? []).map((device) => ({
        icon: "devices",
        text: device.device,
        kind: `device of ${device.user}`,
        href: to("push", [], { user: device.user, device: device.device }),
      }));

/** Records of exactly this name: in the public database, in each user's default zone, and where one is now. */
function records(wanted) {
  if (wanted === "" || wanted !== asked) return [];
  const spots = [{ database: "public", zone: "_defaultZone" }];
  if (route.page === "records") spots.unshift(place());
  for (const user of userNames().slice(0, mostUsers)) spots.push({ database: "private", user, zone: "_defaultZone" });
  return spots.flatMap((where) => {
    const body = { ...database(where), as: undefined, zoneID: zoneID(where), records: [{ recordName: wanted }] };
    const record = remote(admin("records/lookup"), body).value?.records?.[0];
    if (!record?.fields) return [];
    return [
      {
        icon: "records",
        text: record.recordName,
        kind: `${record.recordType}, ${where.user ? `${where.user}'s ${where.zone}` : where.database}`,
        href: recordsAt({ ...where, type: record.recordType }, { sel: record.recordName }),
      },
    ];
  }).filter((item, at, all) => all.findIndex((other) => other.href === item.href) === at);
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
        placeholder: "Record, user, device, page, request ID",
        autocomplete: "off",
        spellcheck: "false",
        value: text,
        created: (element) => element.focus(),
        oninput: (event) => typed(event.target.value),
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
