// The server's event stream: it names what changed, and pages that are live ask again. One connection, of the tab that
// is seen; while it is open nothing is asked for every few seconds.

import { isSignedIn, proof } from "./session.js";

const path = "/_brume/admin/events";
const pauses = { first: 1000, longest: 30_000 };

/** Whether the stream is open. */
export let isFollowing = false;

let abort;

/** Follows from now on; `changed` is called with the names of what changed. */
export async function followEvents(changed) {
  document.addEventListener("visibilitychange", () => document.hidden && abort?.abort());
  let pause = pauses.first;
  for (;;) {
    if (!document.hidden && isSignedIn()) {
      const isGood = await follow(changed).catch(() => false);
      pause = isGood ? pauses.first : Math.min(2 * pause, pauses.longest);
    }
    isFollowing = false;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** One connection; answers whether it was open. */
async function follow(changed) {
  abort = new AbortController();
  const answer = await fetch(path, { headers: proof(false), signal: abort.signal });
  if (!answer.ok) return false;
  isFollowing = true;
  // What changed since the page asked, and before the stream was open.
  changed([]);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      text += piece.value;
      const events = text.split("\n\n");
      text = events.pop();
      for (const event of events) {
        const line = event.split("\n").find((line) => line.startsWith("data: "));
        if (line) changed(line.slice(6).split(" "));
      }
    }
  } catch {
    // It broke: another follows.
  }
  return true;
}
