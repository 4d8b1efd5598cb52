// The states that every page has besides its content: loading, empty, failed, not allowed. And badges.

import { refresh } from "../core/calls.js";
import { h } from "../core/render.js";
import { route, to, withQuery } from "../core/router.js";
import { Button, LinkButton } from "./controls.js";
import { Icon } from "./icons.js";

const icons = { ok: "ok", wait: "wait", bad: "bad", info: "live", off: "ring" };

/** A word with an icon and a colour: "ok", "wait", "bad", "info" or "off". */
export const Badge = ({ kind, icon, children }) =>
  h("span.badge", { class: kind }, Icon(icon ?? icons[kind]), h("span", null, children));

/**
 * What an answer leads to: the view of its value, or why there is none. Old content stays while loading. `entry` is of
 * `remote`, or asks anew by its own `retry`.
 */
export function Loaded(entry, view, { forbidden } = {}) {
  if (entry.error && (entry.value === undefined || entry.error.isForbidden)) {
    return entry.error.isForbidden ? Forbidden(entry.error, forbidden) : Failed(entry.error, false, entry.retry);
  }
  if (entry.value === undefined) return Loading();
  return entry.error ? [Failed(entry.error, true), view(entry.value)].flat() : view(entry.value);
}

/** Grey rows, after 200 ms. */
export const Loading = () =>
  h(
    "div.loading",
    { key: "loading", role: "status" },
    h("span.unseen", null, "Loading"),
    [1, 2, 3, 4].map(() => h("span.bone")),
  );

/** What failed, under which request ID, and Retry. */
export const Failed = (error, isOld = false, retry = refresh) =>
  h(
    "div.state.failed",
    { key: "failed", role: "alert", class: isOld && "strip" },
    Icon("bad"),
    h(
      "div",
      null,
      h("p", null, error.message + (isOld ? ". What is shown is older." : "")),
      error.requestID && h(
        "p.note",
        null,
        "Request ",
        h("a", { href: to("logs", [], { request: error.requestID }) }, h("code", null, error.requestID)),
      ),
    ),
    h(Button, { icon: "retry", onclick: retry }, "Retry"),
  );

/** Whose role is needed; the page stays in the navigation. */
const Forbidden = (error, role) =>
  h(
    "div.state",
    { key: "forbidden" },
    Icon("lock"),
    h(
      "div",
      null,
      h("p", null, role ? `This needs the role ${role}` : "Your role does not allow this"),
      h("p.note", null, error.message),
    ),
  );

/** Nothing there: one sentence, one action. */
export const Empty = (sentence, action, icon = "ring") =>
  h("div.state", { key: "empty" }, Icon(icon), h("p", null, sentence), action);

/** A page of a list after its last line: a list whose last page is full leads there, and so does an old link. */
export const NothingOlder = () =>
  Empty("Nothing older is remembered", h(LinkButton, { href: withQuery({ before: "", sel: "" }) }, "Show the newest"), "logs");

/** A list by names that is empty: behind its first page nothing more is there, and else what its page says. */
export const EmptyPage = (first) =>
  route.query.after
    ? Empty("Nothing more is here", h(LinkButton, { href: withQuery({ after: "", sel: "" }) }, "Show the first"))
    : first;

/** Under which ID the server's log knows an error of the console's own calls, or of the client's. */
const requestOf = (error) => error.requestID ?? error.uuid;

/** The error of something that was just tried, beside the button that tried it. */
export const Wrong = (error) =>
  error && h(
    "p.wrong",
    { key: "wrong", role: "alert" },
    Icon("bad"),
    h("span", null, error.message, requestOf(error) && h("span.note", null, ` · request ${requestOf(error)}`)),
  );
