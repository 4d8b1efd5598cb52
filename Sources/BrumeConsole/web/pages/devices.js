// Devices, in development: what does each phone see? Simulated phones side by side on real streams, a bar
// that writes as one of them, and what happened on all of them.

import { call, remote } from "../core/calls.js";
import { happened, Phone, phones } from "../core/phone.js";
import { admin, chosenUser, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { note, route, withQuery } from "../core/router.js";
import { draft, into, say, update } from "../core/state.js";
import { moment } from "../core/words.js";
import { Button, Field } from "../parts/controls.js";
import { Icon } from "../parts/icons.js";
import { Form, Head, Pane } from "../parts/layout.js";
import { Empty } from "../parts/states.js";
import { UserPicker } from "../parts/users.js";
import { Tile } from "./devices-tile.js";
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
      () =>
        phones.forEach((phone) => phone === focused() && (phone.state === "offline" ? phone.come() : phone.leave())),
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

/** The phones of the scene that the address names, `alice:iPhone,bob:Mac`; each is made once. */
function scene() {
  if (phones.length > 0 || !route.query.scene || isMaking) return;
  for (const [user, name] of route.query.scene.split(",").map((pair) => pair.split(":")).slice(0, mostPhones))
    if (user && name) add(name, user);
}

let isMaking = false;

/** Makes a phone, and writes the scene into the address: names only, never tokens. */
export async function add(name, user) {
  isMaking = true;
  try {
    const { environment } = await call(admin("status"));
    const phone = new Phone(name, user, {
      container: route.container,
      environment: route.environment,
      apiToken: environment.BRUME_API_TOKEN,
    });
    phones.push(phone);
    remember();
    await phone.signIn();
  } catch (error) {
    say(error.message, true);
  }
  isMaking = false;
}

/** Writes the phones into the address, unless another page has been opened meanwhile. */
export function remember() {
  if (route.page !== page.name) return;
  note(withQuery({ scene: phones.map((phone) => `${phone.user}:${phone.name}`).join(",") }));
}

function view() {
  scene();
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
      h("div.tiles", { key: "tiles" }, phones.map((phone) => Tile(phone, waiting[phone.clientID] ?? 0)), NewPhone()),
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
