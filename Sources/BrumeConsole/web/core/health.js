// Whether the server is well, asked every few seconds while the page is seen: what the foot of the
// navigation and the sign in the bar show, and what Start shows in full.

import { call } from "./calls.js";
import { isSignedIn } from "./session.js";
import { update } from "./state.js";

const pause = 5000;

/** What was last known; `since` is when the server stopped answering. */
export const health = { isKnown: false, isReady: false, since: undefined, status: undefined, metrics: undefined };

async function ask() {
  if (document.hidden || !isSignedIn()) return;
  try {
    const [ready, status, metrics] = await Promise.all([
      fetch("/_brume/health/ready"),
      call("/_brume/admin/status"),
      call("/_brume/admin/metrics").catch(() => undefined),
    ]);
    Object.assign(health, { isKnown: true, isReady: ready.ok, since: undefined, status });
    health.metrics = metrics === undefined ? undefined : read(metrics);
  } catch {
    Object.assign(health, { isKnown: true, isReady: false, since: health.since ?? Date.now() });
  }
  update();
}

/** The sum of each metric over its series. */
function read(text) {
  const sums = new Map();
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const name = line.slice(0, line.search(/[{ ]/));
    sums.set(name, (sums.get(name) ?? 0) + Number(line.slice(line.lastIndexOf(" ") + 1)));
  }
  return sums;
}

/** Asks from now on; `tick` is called with each pause, for pages that are live. */
export function watchHealth(tick) {
  setInterval(
    () => {
      ask();
      if (!document.hidden) tick();
    },
    pause,
  );
  document.addEventListener("visibilitychange", ask);
}

export const askHealth = ask;
