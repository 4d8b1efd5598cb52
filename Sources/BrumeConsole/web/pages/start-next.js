// What comes next on a new server, and whether it is done; where this one stores things.

import { health } from "../core/health.js";
import { h } from "../core/render.js";
import { to } from "../core/router.js";
import { number } from "../core/words.js";
import { LinkButton } from "../parts/controls.js";
import { Icon } from "../parts/icons.js";
import { Facts, Pane } from "../parts/layout.js";
import { Loading } from "../parts/states.js";

/** What comes next, and whether it is done. */
export function Next() {
  const status = health.status;
  if (!status) return h(Pane, { key: "next", title: "Next steps" }, Loading());
  const steps = [
    [status.logPosition > 0, "Save a first record", "the code beside does it", undefined],
    [status.users > 0, "Make a user", plain(status.users, "user"), to("users")],
    [
      status.apiTokens > 0,
      "Make an API token for the app",
      plain(status.apiTokens, "token"),
      to("users", [], { tab: "tokens" }),
    ],
    [
      (health.metrics?.get("brume_notifier_subscriptions") ?? 0) > 0,
      "Subscribe to changes",
      "a push for each change",
      undefined,
    ],
    [
      (health.metrics?.get("brume_devices_listening") ?? 0) > 0,
      "Send a test push",
      "to devices that listen",
      to("push"),
    ],
  ];
  return h(
    Pane,
    { key: "next", title: "Next steps" },
    h(
      "ul.steps",
      null,
      steps.map(([isDone, title, note, href]) =>
        h(
          "li",
          { key: title },
          h("span", { class: isDone ? "ok" : "" }, Icon(isDone ? "ok" : "unasked")),
          h("div", null, h("p", null, title, isDone && h("span.unseen", null, ", done")), h("p.note", null, note)),
          href && h(LinkButton, { class: "small", href }, "Open"),
        )),
    ),
  );
}

const plain = (count, noun) => (count === 0 ? "none yet" : `${number(count)} ${noun}${count === 1 ? "" : "s"}`);

/** Where things are stored. */
export const Stored = () =>
  health.status && h(
    Pane,
    { key: "stored", title: "This server" },
    h(
      "div.body",
      null,
      Facts([
        ["Address", health.status.url],
        ["Store", health.status.store],
        ["Data", h("code", null, health.status.data)],
        [
          "Mode",
          health.status.dev
            ? "development: ready-made users and tokens, faults on request"
            : "nothing is open that nobody opened",
        ],
      ]),
    ),
  );
