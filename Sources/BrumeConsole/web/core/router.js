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

/** Where somebody wanted to go who signs in on a page of its own, which leads to the console's beginning. */
const wanted = "brume.wanted";
const kept = sessionStorage.getItem(wanted);
sessionStorage.removeItem(wanted);
if (kept && location.hash === "") history.replaceState(null, "", kept);

/** Keeps the address until the console is opened again in this tab. */
export const keepAddress = () => sessionStorage.setItem(wanted, location.hash);

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

/** From where somebody came to a page of a list, by where it begins. */
const earlier = new Map();
const mostEarlier = 1000;

function remember(page, from) {
  earlier.delete(page);
  earlier.set(page, from);
  if (earlier.size > mostEarlier) earlier.delete(earlier.keys().next().value);
}

/**
 * The ways to the next page of a list, and back: the address says by `name` where the page begins. Who came by a link goes
 * back to the first page. `also` changes with it; `next` is where the next page begins.
 */
export function turn(name, next, also = {}) {
  const here = route.query[name] ?? "";
  const key = (begin) => `${format({ ...route, query: { tab: route.query.tab } })} ${name} ${begin}`;
  const lead = (begin) => go(withQuery({ ...also, [name]: begin }));
  return {
    newer: here !== "" && (() => lead(earlier.get(key(here)) ?? "")),
    // The page before stays until the next one is there: pressed again, its button leads here.
    older: next && (() => here !== String(next) && (remember(key(next), here), lead(String(next)))),
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

/** A part of an address as it was before it was encoded; what is no such part stays as it is. */
export function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
