// The beginning: draws the page of the address inside the frame, whenever something has changed.

import { beginDrawing, endDrawing, forget, refresh } from "./core/calls.js";
import { followEvents, isFollowing } from "./core/events.js";
import { askHealth, health, watchHealth } from "./core/health.js";
import { useEverywhere, useKeys } from "./core/keyboard.js";
import { isOffered, pages } from "./core/pages.js";
import { h, render } from "./core/render.js";
import { format, go, onArrival, route, to } from "./core/router.js";
import { isAsked, isSignedIn, isSilent, onLeaving, recognise } from "./core/session.js";
import { drawWith, dropAll } from "./core/state.js";
import { nextTheme } from "./core/theme.js";
import { close, showKeys } from "./parts/dialogs.js";
import { Frame } from "./parts/frame.js";
import { openSearch } from "./parts/search.js";
import { SignIn } from "./parts/signin.js";
import { focusTable } from "./parts/table.js";
import { LinkButton } from "./parts/controls.js";
import { Head } from "./parts/layout.js";
import { Empty, Failed } from "./parts/states.js";

function draw() {
  if (!isAsked) return void (isSilent && render(document.body, Frame({ name: "none" }, Silent())));
  if (isSignedIn() && !isPlaced()) return;
  const page = pages.find((page) => page.name === route.page && isOffered(page, health.status));
  beginDrawing();
  const content = !isSignedIn() ? SignIn() : page ? View(page) : Unknown();
  useKeys(isSignedIn() ? page?.keys?.() : undefined);
  render(document.body, Frame(page ?? { name: "none" }, content));
  endDrawing();
  document.title = !isSignedIn() ? "Sign in · Brume" : `${page?.title ?? "Not found"} · ${route.container} · Brume`;
}

/** The page; one that cannot be drawn says why, and others are reached as before. */
function View(page) {
  try {
    return page.view();
  } catch (error) {
    console.error(error);
    return [h(Head, { title: page.title }), Failed(error)];
  }
}

/** An address without a container leads to the server's own one. */
function isPlaced() {
  if (route.container) return true;
  const own = health.status?.environment?.BRUME_CONTAINER;
  if (health.status) go(format({ ...route, container: own ?? "iCloud.org.example.app" }), true);
  return !health.status;
}

const Unknown = () =>
  health.isKnown && Empty("The console has no such page on this server", h(LinkButton, { href: to("start") }, "Start"));

const Silent = () => Empty("The server does not answer. It is asked again until it does", undefined, "wait");

/** Another page is asked for anew and starts with its title; the same page keeps the focus. */
onArrival((before) => {
  document.body.classList.remove("menu-open");
  if (before.page === route.page && before.container === route.container && before.environment === route.environment)
    return;
  refresh();
  scrollTo(0, 0);
  queueMicrotask(() => queueMicrotask(() => document.getElementById("title")?.focus()));
});

/** Nobody finds what somebody else has typed or was shown. */
onLeaving(() => {
  dropAll();
  close();
  forget();
});

useEverywhere({
  "ctrl+k": ["Search", openSearch],
  "?": ["This list", showKeys],
  l: ["To the list", focusTable],
  r: ["Ask the server again", refresh],
  t: ["Colours: as the system has them, light, dark", nextTheme],
});
drawWith(draw);
recognise().then(askHealth);
/** What the page of the address shows, asked for again if it is live. */
const lookAgain = () => pages.find((page) => page.name === route.page)?.isLive && isSignedIn() && refresh();
watchHealth(() => !isFollowing && lookAgain());
followEvents((names) => {
  lookAgain();
  if (names.includes("server")) askHealth();
});
