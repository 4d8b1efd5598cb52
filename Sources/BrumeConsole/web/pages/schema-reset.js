// Development's schema becomes what production's is. What would change, and what is lost by it, the server says before.

import { call, refresh } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { route } from "../core/router.js";
import { say } from "../core/state.js";
import { plural, shortContainer } from "../core/words.js";
import { Button } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";

const mostNamed = 5;

export const Reset = () =>
  route.environment === "development" && h(Button, { key: "reset", icon: "retry", onclick: ask }, "Reset…");

async function ask() {
  const path = admin("schema/reset");
  try {
    const { changes } = await call(path, { dryRun: true });
    if (changes.length === 0) return say("Development is what production is");
    confirm({
      title: "Reset development's schema",
      word: `${shortContainer(route.container)} development`,
      button: "Reset",
      loses: `Development becomes what production is: ${named(changes)}. Records of types that go are gone for good.`,
      act: () => call(path, {}).then(refresh),
      done: "Development's schema is production's now",
    });
  } catch (error) {
    say(error.message, true);
  }
}

function named(changes) {
  const first = changes.slice(0, mostNamed).map(({ change }) => change);
  const rest = changes.length - first.length;
  return first.join("; ") + (rest > 0 ? `; and ${plural(rest, "change")} more` : "");
}
