// One simulated phone: who uses it, whether it is there, alerts as drawn on a phone, lines of what it did;
// offline, how much waits in its mailbox.

import { userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { to } from "../core/router.js";
import { say, update } from "../core/state.js";
import { moment, plural } from "../core/words.js";
import { Button, LinkButton } from "../parts/controls.js";
import { Icon } from "../parts/icons.js";
import { Badge } from "../parts/states.js";
import { UserPicker } from "../parts/users.js";
import { isPerson } from "./devices.js";

const icons = { iPad: "devices", Mac: "laptop", watch: "watch" };
const states = {
  online: ["ok", "Online", "live"],
  connecting: ["wait", "Connecting", "wait"],
  offline: ["wait", "Offline", "pause"],
  refused: ["bad", "Refused", "bad"],
  signedOut: ["off", "Signed out", "door"],
};

export function Tile(phone, waiting) {
  const [kind, word, icon] = states[phone.state];
  return h(
    "section.pane.tile",
    { key: phone.clientID, tabindex: 0, "aria-label": `${phone.name} of ${phone.user}`, onkeydown: moved },
    h(
      "header",
      null,
      h("span.device-icon", null, Icon(icons[phone.name] ?? "devices")),
      h(
        "div.named",
        null,
        h("h2", null, phone.name, phone.badge > 0 && h("span.note", null, ` badge ${phone.badge}`)),
        Owner(phone),
      ),
      h(
        "div.actions",
        null,
        h(Badge, { kind, icon }, word),
        Why(phone),
        h(Button, {
          kind: "quiet",
          icon: "trash",
          label: `Remove ${phone.name} of ${phone.user}`,
          onclick: () => phone.remove(),
        }),
      ),
    ),
    h(
      "div.screen",
      { key: "screen" },
      phone.alerts.map((alert) =>
        h(
          "div.alert",
          { key: alert.id },
          h(
            "p.note",
            null,
            alert.title || phone.place.container.split(".").at(-1),
            h("time", null, moment(alert.time)),
          ),
          h("p", null, alert.text),
          alert.from && h("p.note", null, alert.from),
        )),
      phone.state !== "online" &&
        waiting > 0 && h("p.wait", null, Icon("push"), `${plural(waiting, "push", "pushes")} in its mailbox`),
      h(
        "ul.lines-list",
        null,
        phone.lines.map((line) =>
          h(
            "li",
            { key: line.id },
            h("span", { class: line.kind }, Icon(line.icon)),
            h("span", { title: line.text }, line.text),
            h("time", null, moment(line.time)),
          )),
      ),
    ),
    h(
      "footer",
      null,
      ...Acts(phone),
    ),
  );
}

const Acts = (phone) =>
  phone.state === "signedOut"
    ? [h(Button, { class: "small", icon: "user", onclick: () => tried(phone.signIn()) }, "Sign in")]
    : [
        isAway(phone)
          ? h(Button, { class: "small", icon: "play", onclick: () => back(phone) }, "Come back")
          : h(Button, { class: "small", icon: "pause", onclick: () => phone.leave() }, "Go offline"),
        h(Button, { class: "small", icon: "push", onclick: () => subscribe(phone) }, "Subscribe"),
        h(Button, { class: "small", icon: "door", onclick: () => tried(phone.signOut()) }, "Sign out"),
      ];

/** Whether its stream is closed, and it may come back. */
export const isAway = ({ state }) => state === "offline" || state === "refused";

export const back = (phone) => tried(phone.come());

/** What became of the newest change on this phone. */
const Why = (phone) =>
  h(
    LinkButton,
    {
      kind: "quiet",
      icon: "trace",
      href: to("trace", [], { user: phone.user, device: phone.clientID }),
      title: "Why no push?",
      "aria-label": `Why was ${phone.name} of ${phone.user} not notified?`,
    },
  );

/** Who uses it; another one takes it into use. */
const Owner = (phone) =>
  h(UserPicker, {
    label: `User of ${phone.name}`,
    shown: false,
    value: phone.user,
    options: [...new Set([phone.user, ...userNames().filter(isPerson)])],
    onchange: (event) => tried(phone.handTo(event.target.value)),
  });

/** What fails is said. */
const tried = (act) => act.catch((error) => say(error.message, true)).finally(update);

/** Arrows go from tile to tile. */
function moved(event) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step || event.target !== event.currentTarget) return;
  const tiles = [...document.querySelectorAll(".tile")];
  tiles[tiles.indexOf(event.target) + step]?.focus();
  event.preventDefault();
}

/** Everything that a phone can watch: each change of the private database, each new record in public. */
async function subscribe(phone) {
  const subscriptions = [
    [
      "private",
      {
        subscriptionID: "everything",
        subscriptionType: "database",
        notificationInfo: { shouldSendContentAvailable: true },
      },
    ],
    ...phone.types.map((type) => [
      "public",
      {
        subscriptionID: `new-${type}`,
        subscriptionType: "query",
        query: { recordType: type },
        firesOn: ["create", "update", "delete"],
        zoneWide: true,
        notificationInfo: { alertBody: `A ${type} has changed`, shouldSendContentAvailable: true },
      },
    ])
  ];
  for (const [scope, subscription] of subscriptions) {
    try {
      await phone.database(scope).saveSubscription(subscription);
      phone.note("push", `watches ${subscription.subscriptionID}`, "ok");
    } catch (error) {
      phone.note("bad", error.reason ?? error.message, "bad");
    }
  }
  update();
}
