// Devices, in development: what does each phone see? Simulated phones side by side on real streams, a bar
// that writes as one of them, and what happened on all of them.

import { remote } from "../core/calls.js";
import { happened, Phone, phones } from "../core/phone.js";
import { admin, chosenUser, userNames, usersAsked } from "../core/places.js";
import { h } from "../core/render.js";
import { decode, note, route, to, withQuery } from "../core/router.js";
import { draft, into, say, update } from "../core/state.js";
import { moment } from "../core/words.js";
import { Button, Field, LinkButton } from "../parts/controls.js";
import { Icon } from "../parts/icons.js";
import { Form, Head, Pane } from "../parts/layout.js";
import { Empty, Loaded } from "../parts/states.js";
import { UserPicker } from "../parts/users.js";
import { back, isAway, Tile } from "./devices-tile.js";
import { save, WriteBar } from "./devices-write.js";

export const page = {
  name: "devices",
  title: "Devices",
  icon: "devices",
  isForDevelopment: true,
  isLive: true,
  view,
  keys: () => ({
    n: ["New device", () => document.getElementById("field-name")?.focus()],
    o: [
      "Offline or back",
      () => phones.forEach((phone) => phone === focused() && (isAway(phone) ? back(phone) : phone.leave())),
    ],
    "ctrl+enter": ["Save", save],
  }),
};

/** Users of server-to-server keys have no phones. */
export const isPerson = (name) => !name.startsWith("key-");

/** A browser gives a host six connections over all tabs; each phone's stream takes one. */
const mostPhones = 4;
const focused = () =>
  phones[[...document.querySelectorAll(".tile")].indexOf(document.activeElement.closest(".tile"))] ?? phones[0];

// MARK: The scene

/** What the address has about a phone that is not there, or that nobody uses. */
const marks = { offline: "offline", signedOut: "out" };
/** The scene that was shown last, and how many phones are being made. */
let shown;
let making = 0;

const isHere = ({ place }) => place.container === route.container && place.environment === route.environment;

/** `alice:iPhone,bob:Mac:offline`: the phones of this place with their users, as a link has them. Never tokens. */
const scene = () =>
  phones.filter(isHere).map((phone) =>
    [phone.user, phone.name, marks[phone.state]].filter(Boolean).map(encodeURIComponent).join(":")).join(",");

function read(text) {
  const parts = text.split(",").map((part) => part.split(":").map(decode));
  const whole = parts.filter(([user, name]) => user && name).slice(0, mostPhones);
  return whole.map(([user, name, mark]) => ({ user, name, mark }));
}

/** Makes the phones of an address that somebody came by; what is there already stays, what it does not name goes. */
async function show(named) {
  making += 1;
  const isNamed = (phone) => named.some(({ user, name }) => phone.user === user && phone.name === name);
  for (const phone of phones.filter((phone) => isHere(phone) && !isNamed(phone))) await phone.remove();
  for (const { name, user, mark } of named) {
    if (!phones.some((phone) => isHere(phone) && phone.user === user && phone.name === name)) await add(name, user, mark);
  }
  making -= 1;
  update();
}

/** Makes a phone, which says itself what it could not do. */
export async function add(name, user, mark) {
  making += 1;
  const phone = new Phone(name, user, { container: route.container, environment: route.environment });
  phones.push(phone);
  phone.is(Object.keys(marks).find((state) => marks[state] === mark) ?? "connecting");
  try {
    if (phone.state === "connecting") await phone.signIn();
  } catch (error) {
    phone.is("refused");
    phone.note("bad", error.message, "bad");
    say(error.message, true);
  }
  making -= 1;
  update();
}

/** Shows what the address names, or writes into the address what is shown. */
function agree() {
  if (route.query.scene !== shown) {
    shown = route.query.scene;
    if (shown) show(read(shown));
  }
  const address = withQuery({ scene: scene() });
  if (making === 0 && address !== location.hash) note(address);
}

// MARK: The page

function view() {
  agree();
  const waiting = Object.fromEntries(
    (remote(admin("devices")).value?.devices ?? []).map((device) => [device.device, device.waiting]),
  );
  const online = phones.filter((phone) => phone.state === "online").length;
  return [
    h(Head, {
      title: "Devices",
      note: phones.length > 0 && `${phones.length} simulated, ${online} online`,
      actions:
        phones.length > 0 && h(
          Button,
          { icon: "pause", onclick: () => phones.forEach((phone) => phone.state !== "offline" && phone.leave()) },
          "All offline",
        ),
    }),
    phones.length > 0 && WriteBar(),
    h(
      "div.devices",
      { key: "devices" },
      h(
        "div.tiles",
        { key: "tiles" },
        phones.map((phone) => Tile(phone, waiting[phone.clientID] ?? 0)),
        Loaded(usersAsked(), NewPhone),
      ),
      phones.length > 0 && What(),
    ),
  ];
}

function NewPhone() {
  const state = draft("devices.new", () => ({ name: "", user: "" }));
  const users = userNames().filter(isPerson);
  const user = chosenUser(state.user, users);
  const names = ["iPhone", "iPad", "Mac", "watch"];
  const free = names.find((name) => !phones.some((phone) => phone.name === name && phone.user === user)) ?? "phone";
  const two = (first, second) =>
    async () => {
      await add("iPhone", first);
      await add(first === second ? "iPad" : "Mac", second);
    };
  if (phones.length >= mostPhones)
    return h(
      "p.note",
      { key: "full" },
      `${mostPhones} phones: a browser has no connections for more streams. Remove one to add another.`,
    );
  return h(
    "section.new-device",
    { key: "new", "aria-label": "New device" },
    phones.length === 0 &&
      users.length === 0 &&
      Empty(
        "No users yet, and each phone is somebody's",
        h(LinkButton, { icon: "plus", href: to("users", [], { new: "1" }) }, "New user"),
        "users",
      ),
    phones.length === 0 &&
      users.length > 0 && h(
      "div.stack",
      null,
      Empty("No phones", undefined, "devices"),
      h(
        "div.line",
        null,
        h(Button, { kind: "primary", onclick: two(users[0], users[0]) }, `Two of ${users[0]}`),
        users[1] && h(Button, { onclick: two(users[0], users[1]) }, `${users[0]} and ${users[1]}`),
      ),
    ),
    h(
      Form,
      { class: "stack", onsend: () => add(state.name.trim() || free, user).then(() => ((state.name = ""), update())) },
      h("h2", null, "New device"),
      h("p.note", null, "A real client on a stream of its own. The app on it only prints what it is given."),
      h(Field, { label: "Name", value: state.name, placeholder: free, oninput: into(state, "name") }),
      h(UserPicker, { label: "User", icon: "user", value: user, options: users, onchange: into(state, "user") }),
      h(Button, { type: "submit", disabled: !user }, "Add device"),
    ),
  );
}

const What = () =>
  h(
    Pane,
    { key: "what", class: "what", title: "What happened" },
    h(
      "ul.lines-list",
      null,
      happened.slice(0, 40).map((line) =>
        h(
          "li",
          { key: line.id },
          h("span", { class: line.kind }, Icon(line.icon)),
          h("span", null, h("b", null, `${line.phone.name}, ${line.user} `), line.text),
          h("time", null, moment(line.time)),
        )),
    ),
  );
