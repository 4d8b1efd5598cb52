// One zone: what the server knows of it, its shares with their people, and what ends it. And a new one.

import { call, refresh } from "../core/calls.js";
import { admin } from "../core/places.js";
import { h } from "../core/render.js";
import { go, route, to, unlessLeft } from "../core/router.js";
import { draft, say } from "../core/state.js";
import { exactly, number } from "../core/words.js";
import { Button, LinkButton } from "../parts/controls.js";
import { confirm } from "../parts/dialogs.js";
import { Facts, Inspector } from "../parts/layout.js";
import { NameField, NewForm, hasName } from "../parts/new.js";
import { Loaded } from "../parts/states.js";
import { recordsAt } from "./records-query.js";
import { counted, stored } from "./usage-storage.js";
import { Share } from "./zones-share.js";

/** - shared: what `admin/shares` answered, of all zones of the owner. */
export function Zone(user, database, zone, shared, owner) {
  const name = zone.zoneID.zoneName;
  const at = database === "shared" ? `${name}@${zone.zoneID.ownerRecordName}` : name;
  const isDefault = name === "_defaultZone";
  return h(
    Inspector,
    {
      key: "zone-" + name,
      title: name,
      note: `of ${user}, ${database}`,
      onclose: () => go(to("zones", [user], { database: route.query.database, after: route.query.after })),
    },
    h(
      "div",
      { key: "facts" },
      Facts([
        ["Owner", h("code", null, zone.zoneID.ownerRecordName)],
        ["Records", counted(zone.brume)],
        ["Stored", stored(zone.brume)],
        ["Sequence", number(zone.brume.sequence)],
        ["Last change", zone.brume.changed && exactly(zone.brume.changed)],
      ]),
      h(
        "div.line",
        null,
        h(LinkButton, { icon: "records", href: recordsAt({ database, user, zone: at }) }, "Records"),
        !isDefault &&
          database === "private" && h(
          Button,
          { kind: "danger", icon: "trash", onclick: () => end(user, name, "delete") },
          "Delete",
        ),
        !isDefault &&
          database === "private" && h(Button, { kind: "danger", onclick: () => end(user, name, "purge") }, "Purge"),
      ),
    ),
    Loaded(shared, ({ shares }) =>
      Shares(owner, shares.filter((share) => share.zoneID.zoneName === name), database)),
  );
}

const Shares = (owner, shares, database) =>
  shares.length > 0
    ? shares.map((share) => Share(owner, share))
    : h("div", { key: "none" }, h("p.note", null, database === "shared"
      ? "Who takes part is seen among the zones of its owner."
      : "Nothing in this zone is shared."));

const learnt = {
  delete: "Devices learn that it was deleted.",
  purge: "Devices learn that it was purged and must not upload it again.",
};

/** Deleting is the user's own act; purging removes it as the operator of a service does. */
function end(user, zone, verb) {
  const act = verb === "delete"
    ? () => call(admin("zones/delete"), { user, database: "private", zones: [{ zoneName: zone }] })
    : () => call(admin("zones/purge"), { user, zone });
  confirm({
    title: verb === "delete" ? `Delete ${zone}` : `Purge ${zone}`,
    word: zone,
    button: verb === "delete" ? "Delete" : "Purge",
    loses: `Every record, share and subscription of ${user}'s zone ${zone}. ${learnt[verb]}`,
    act: async () => {
      const stays = unlessLeft();
      const answer = await act();
      const failed = answer.zones?.find((item) => item.serverErrorCode);
      if (failed) throw new Error(failed.reason);
      refresh();
      stays(() => go(to("zones", [user])));
    },
    done: `${zone} is gone`,
  });
}

export function NewZone(user) {
  const state = draft("zones.new", () => ({ name: "", error: undefined }));
  return h(
    NewForm,
    {
      title: "New zone",
      note: `of ${user}`,
      draft: "zones.new",
      state,
      isReady: hasName(state),
      button: "Create zone",
      make: async () => {
        const zones = [{ zoneName: state.name.trim() }];
        const [zone] = (await call(admin("zones/create"), { user, database: "private", zones })).zones;
        if (zone.serverErrorCode) throw new Error(zone.reason);
      },
      made: () => say(`${user} has the zone ${state.name.trim()} now`),
      onclose: () => go(to("zones", [user])),
    },
    NameField(state),
  );
}
