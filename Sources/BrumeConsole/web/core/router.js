// The address of what is seen: `#/{container}/{environment}/{page}/…?…`. It stands after `#`, so that names
// and values of filters reach no access log. It holds what a link must show again; never drafts, never
// secrets.

import { update } from "./state.js";

const none = { container: "", environment: "development", page: "start", path: [], query: {} };

/** Reads an address; what is missing is filled in by app.js. */
export function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter(Boolean).map(decode);
  if (parts.length === 0) return { ...none };
  const [container, environment = "development", page = "start", ...rest] = parts;
  return { container, environment, page, path: rest, query: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

/** The address of a route; members of the query that are empty are left out. */
export function format(route) {
  const parts = [route.container, route.environment, route.page, ...route.path].map(encodeURIComponent);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(route.query)) if (value) query.set(name, value);
  const text = query.toString();
  return "#/" + parts.join("/") + (text ? "?" + text : "");
}

/** The address that `route` was read from. The browser's own is ahead of it from a link's click until its event. */
let seen = location.hash;

/** Where the console is now. */
export let route = parse(seen);

/** The address of another page of the same container and environment, for links. */
export const to = (page, path = [], query = {}) => format({ ...route, page, path, query });

/** The address of this page with members of the query changed. */
export const withQuery = (query) => format({ ...route, query: { ...route.query, ...query } });

/** Goes to an address; `quietly`: without a new entry in the history, for what changes with each key. */
export function go(address, quietly = false) {
  if (!quietly) location.hash = address;
  else if (note(address)) arrive();
}

/** Writes what is seen into the address. Answers false if somebody is on the way to another one: then it is not. */
export function note(address) {
  if (location.hash !== seen) return false;
  history.replaceState(null, "", address);
  seen = location.hash;
  return true;
}

/**
 * For what is done when an answer has come: called before the answer is awaited, it answers a function that does
 * something only if nobody has gone elsewhere meanwhile.
 */
export function unlessLeft() {
  const from = location.hash;
  return (act) => {
    if (location.hash === from) act();
  };
}

const arrivals = [];
/** Calls a function when the address has changed, with the route before. */
export const onArrival = (function_) => arrivals.push(function_);

function arrive() {
  const before = route;
  seen = location.hash;
  route = parse(seen);
  arrivals.forEach((function_) => function_(before));
  update();
}

window.addEventListener("hashchange", arrive);

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
