// The frame: navigation at the left with health at its foot, the bar above, the page, what was said.

import { health } from "../core/health.js";
import { groups, isOffered } from "../core/pages.js";
import { h } from "../core/render.js";
import { route, to } from "../core/router.js";
import { isSignedIn } from "../core/session.js";
import { said } from "../core/state.js";
import { moment, number, plural } from "../core/words.js";
import { Bar } from "./bar.js";
import { Dialogs } from "./dialogs.js";
import { Icon } from "./icons.js";

/** Everything, around the content of a page. */
export const Frame = (page, content) =>
  [
    h("a.skip", { key: "skip", href: "#main", onclick: skip }, "Skip to the page"),
    Navigation(page),
    Bar(),
    h("main", { key: "main", id: "main", tabindex: -1, class: "page-" + page.name }, Warning(), Armed(page), content),
    h(
      "div.said",
      {
        key: "said",
        role: "status",
        "aria-live": "polite",
        class: [said.text && "on", said.isBad && "bad"].filter(Boolean).join(" "),
      },
      said.text && Icon(said.isBad ? "bad" : "ok"),
      h("span", null, said.text),
    ),
    Dialogs(),
  ].filter(Boolean);

function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

const Navigation = (current) =>
  h(
    "nav",
    { key: "nav", id: "nav", "aria-label": "Pages" },
    h("a.brand", { href: to("start") }, Icon("brume"), h("b", null, "Brume")),
    isSignedIn() &&
      groups.map((group) => [group, group.pages.filter((page) => isOffered(page, health.status))]).filter(([, pages]) =>
        pages.length > 0).map(([group, pages]) =>
        h(
          "div",
          { key: group.title, role: "group", "aria-label": group.title || "Overview" },
          group.title && h("p.group", null, group.title),
          pages.map((page) =>
            h(
              "a",
              { key: page.name, href: to(page.name), "aria-current": page === current && "page" },
              Icon(page.icon),
              h("span", null, page.title),
            )),
        )),
    isSignedIn() && Foot(),
  );

/** How the server is, in three lines. */
function Foot() {
  const lag = Math.round(1000 * (health.metrics?.get("brume_notifier_lag_seconds") ?? 0));
  return h(
    "div.health",
    { key: "health" },
    !health.isKnown
      ? h("p.note", null, "Asking…")
      : health.isReady
      ? h("p.ok", null, Icon("ok"), "Healthy")
      : h("p.bad", null, Icon("bad"), health.since ? `No answer since ${moment(health.since)}` : "Not ready"),
    h("p", null, location.host),
    health.metrics && h(
      "p",
      null,
      `lag ${number(lag)} ms, log ${number(health.metrics.get("brume_log_position") ?? 0)}`,
    ),
  );
}

/** Production is said on every page. */
const Warning = () =>
  route.environment === "production" && h(
    "p.production",
    { key: "production" },
    Icon("lock"),
    h("b", null, "Production"),
    h("span", null, "What you change here, users see at once."),
  );

/** While something is to go wrong, or the time stands still, every page says so. */
const Armed = (page) => {
  const { faults = 0, clock } = health.status ?? {};
  if (page.name === "faults" || (faults === 0 && clock !== "manual")) return null;
  return h(
    "p.note.armed",
    { key: "armed" },
    Icon("faults"),
    h(
      "a",
      { href: to("faults") },
      [faults > 0 && `${plural(faults, "fault")} on`, clock === "manual" && "the server's time is moved by hand"].filter(
        Boolean,
      ).join(", "),
    ),
  );
};
