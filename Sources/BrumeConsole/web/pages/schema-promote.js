// Promotion: production's schema becomes what development's is. It shows the changes, and promotes exactly
// what was shown: if development has changed meanwhile, the new difference is shown instead.

import { call, refresh, remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { route } from "../core/router.js";
import { admin, containerFlag } from "../core/places.js";
import { plural, shortContainer } from "../core/words.js";
import { Button } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";
import { Icon } from "../parts/icons.js";
import { Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded } from "../parts/states.js";

export function Promote({ text, productionText }) {
  const isSame = text === productionText;
  const answer = isSame ? undefined : remote(admin("schema/diff"), {});
  const changes = answer?.value?.changes ?? [];
  const isBlocked = answer?.value === undefined || !answer.value.allowed;
  return h(
    Pane,
    {
      key: "promote",
      class: "promote",
      title: "Promote",
      // Until the server has said the changes there is no number of them.
      actions: (isSame || answer.value) && h(
        Badge,
        { kind: isSame ? "off" : "wait", icon: isSame ? "ok" : "pencil" },
        isSame ? "no change" : plural(changes.length, "change"),
      ),
      foot:
        !isSame && [
          h(
            Button,
            { kind: "primary", disabled: isBlocked || Boolean(answer?.isLoading), onclick: () => ask(text, changes) },
            "Promote to production",
          ),
          h("p.note", null, "Same as ", h("code", null, `brume schema deploy${containerFlag()}`)),
        ],
    },
    isSame
      ? Empty("Production is what development is", undefined, "ok")
      : Loaded(answer, () =>
          h(
            "ul.changes",
            null,
            changes.map((change) =>
              h(
                "li",
                { key: change.change, class: change.obstacle ? "bad" : "" },
                Icon(change.obstacle ? "bad" : change.drops ? "warn" : "plus"),
                h("div", null, h("p", null, change.change), h("p.note", null, change.obstacle ?? change.consequence)),
              )),
          )),
  );
}

function ask(shown, changes) {
  confirm({
    title: "Promote to production",
    word: `${shortContainer(route.container)} production`,
    button: "Promote",
    loses: `${plural(changes.length, "change")} of the schema take effect in production at once and cannot be taken back.`,
    act: async () => {
      const query = new URLSearchParams({ container: route.container, environment: "development" });
      const now = await call(`/_brume/admin/schema?${query}`);
      if (now.schema !== shown) {
        refresh();
        throw new Error(
          "Development has changed since this was shown. Close this, look at the difference, and promote again.",
        );
      }
      await call(`/_brume/admin/schema/deploy?${query}`, {});
      refresh();
    },
    done: "Production has the schema of development now",
  });
}
