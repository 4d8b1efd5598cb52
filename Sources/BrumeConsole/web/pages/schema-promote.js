// Promotion: production's schema becomes what development's is. It shows the changes, and promotes exactly
// what was shown: if development has changed meanwhile, the new difference is shown instead.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { route } from "../core/router.js";
import { shortContainer } from "../core/words.js";
import { plural } from "../core/words.js";
import { Button } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";
import { Icon } from "../parts/icons.js";
import { Pane } from "../parts/layout.js";
import { Badge, Empty, Failed } from "../parts/states.js";
import { read, standing } from "./schema-text.js";

export function Promote({ text, productionText }) {
  const isSame = text === productionText;
  const answer = isSame ? undefined : remote(`/_brume/admin/schema/diff?${new URLSearchParams({ container: route.container, environment: "production" })}`);
  const changes = answer?.value?.changes.map(({ change, consequence, obstacle }) => ({ text: change, note: obstacle ?? consequence, isBlocked: Boolean(obstacle) }))
    ?? (answer?.error?.status === 404 ? compared(text, productionText) : []);
  const isBlocked = answer?.value?.allowed === false;
  return h(Pane, { key: "promote", class: "promote", title: "Promote",
    actions: h(Badge, { kind: isSame ? "off" : "wait", icon: isSame ? "ok" : "pencil" }, isSame ? "no change" : plural(changes.length, "change")),
    foot: !isSame && [
      h(Button, { kind: "primary", disabled: isBlocked || Boolean(answer?.isLoading), onclick: () => ask(text, changes) }, "Promote to production"),
      h("p.note", null, "Same as ", h("code", null, "brume schema deploy")),
    ] },
    isSame ? Empty("Production is what development is", undefined, "ok")
      : answer?.error && answer.error.status !== 404 ? Failed(answer.error)
      : h("ul.changes", null, changes.map((change) =>
        h("li", { key: change.text, class: change.isBlocked ? "bad" : "" }, Icon(change.isBlocked ? "bad" : "plus"),
          h("div", null, h("p", null, change.text), change.note && h("p.note", null, change.note))))));
}

/** The changes as far as both texts show them. */
function compared(text, productionText) {
  const [own, production] = [read(text), read(productionText)];
  return own.types.flatMap((type) => {
    const other = production.types.find((candidate) => candidate.name === type.name);
    if (!other) return [{ text: `New type ${type.name}`, note: plural(type.fields.length, "field") }];
    return type.fields.filter((field) => standing(field, other) !== "same")
      .map((field) => ({ text: `${type.name}.${field.name} is ${standing(field, other)}`, note: [field.type, ...field.indexes].join(" ").toLowerCase() }));
  });
}

function ask(shown, changes) {
  confirm({
    title: "Promote to production", word: `${shortContainer(route.container)} production`, button: "Promote",
    loses: `${plural(changes.length, "change")} of the schema take effect in production at once and cannot be taken back.`,
    act: async () => {
      const query = new URLSearchParams({ container: route.container, environment: "development" });
      const now = await call(`/_brume/admin/schema?${query}`);
      if (now.schema !== shown) {
        refresh();
        throw new Error("Development has changed since this was shown. Close this, look at the difference, and promote again.");
      }
      await call(`/_brume/admin/schema/deploy?${query}`, {});
      refresh();
    },
    done: "Production has the schema of development now",
  });
}
