// One share: what of the zone it covers, who takes part with which right, who asks, and accepting it as a user.

import { call, refresh } from "../core/calls.js";
import { admin, chosenUser, knownUsers, place, userNames } from "../core/places.js";
import { h } from "../core/render.js";
import { route, to } from "../core/router.js";
import { draft, say, sendOnce, update } from "../core/state.js";
import { Button } from "../parts/controls.js";
import { Icon } from "../parts/icons.js";
import { Badge, Wrong } from "../parts/states.js";
import { UserPicker } from "../parts/users.js";
import { recordsAt } from "./records-query.js";
import { isHere } from "./users-tokens.js";

const rights = (text) => (text ?? "").toLowerCase().replace("_", " ");

/** The share of a zone of `owner` as a tree: what it covers, and below it the people. */
export const Share = (owner, share) =>
  h(
    "div",
    { key: share.recordName },
    h("h3", null, share.rootRecordName ? "Share of a record and all below it" : "Share of the whole zone"),
    h(
      "ul.tree",
      null,
      h(
        "li",
        { key: "root" },
        h("p.marked", null, Icon(share.rootRecordName ? "records" : "zones"), Root(owner, share)),
        h("ul", null, share.participants.map((person) => Participant(person)), Open(share)),
      ),
    ),
    People("Ask for access", share.requesters),
    People("Blocked", share.blocked),
    Accepting(owner, share),
  );

const Root = (owner, { rootRecordName, zoneID }) =>
  rootRecordName
    ? h(
        "a",
        {
          href: recordsAt(
            { database: "private", user: owner, zone: zoneID.zoneName, type: undefined },
            { sel: rootRecordName },
          ),
        },
        rootRecordName,
      )
    : h("b", null, zoneID.zoneName);

const Participant = (person) =>
  h(
    "li",
    { key: person.participantId ?? called(person.userIdentity) },
    h(
      "span.marked",
      null,
      Icon("user"),
      h("b", null, called(person.userIdentity)),
      h("span.note", null, rights(person.type)),
    ),
    person.type === "OWNER"
      ? null
      : person.acceptanceStatus === "ACCEPTED"
      ? h(Badge, { kind: "ok" }, rights(person.permission))
      : h(Badge, { kind: "wait" }, `${rights(person.permission)}, ${rights(person.acceptanceStatus) || "invited"}`),
  );

/** Whoever has the link is a branch of its own. */
const Open = (share) =>
  share.publicPermission !== "NONE" && h(
    "li",
    { key: "open" },
    h("span.marked", null, Icon("link"), "anybody with the link"),
    h(Badge, { kind: "info" }, rights(share.publicPermission)),
  );

const People = (title, identities) =>
  identities?.length > 0 && h("p.note", { key: title }, `${title}: ${identities.map(called).join(", ")}`);

/** The sign-in name if it is one of this server's users, else what the share knows of the person. */
function called(identity) {
  const user = knownUsers().find((one) =>
    one.recordName === identity?.userRecordName);
  return user?.name ?? identity?.lookupInfo?.emailAddress ?? identity?.nameComponents?.givenName ??
    identity?.userRecordName ?? "somebody";
}

/** Accepts as an app of that user would, with a token that is made for it and used once. */
function Accepting(owner, share) {
  const name = "zones.accept." + share.recordName;
  const others = userNames().filter((user) => user !== owner);
  const state = draft(name, () => ({ user: "", error: undefined, isBusy: false }));
  const user = chosenUser(state.user, others);
  if (!user) return null;
  const send = () =>
    sendOnce(state, async () => {
      await accept(owner, share, user);
      say(`${user} takes part now`);
      refresh();
    });
  return h(
    "div.accepting",
    { key: "accept" },
    h(
      "div.line",
      null,
      h(UserPicker, {
        label: "Accept as",
        icon: "user",
        value: user,
        options: others,
        onchange: (event) => ((state.user = event.target.value), update()),
      }),
      h(Button, { onclick: send, disabled: state.isBusy }, "Accept"),
      h("a", { href: to("zones", [user], { database: "shared" }) }, `What ${user} sees`),
    ),
    Wrong(state.error),
  );
}

async function accept(owner, share, user) {
  const [record] = (
    await call(admin("records/lookup"), {
      database: "private",
      user: owner,
      zoneID: { zoneName: share.zoneID.zoneName },
      records: [{ recordName: share.recordName }],
    })
  ).records;
  if (!record.shortGUID) throw new Error(record.reason ?? "This share has no address");
  const [{ token }, { tokens }] = await Promise.all([
    call(`/_brume/admin/users/token?${place()}`, { user }),
    call("/_brume/admin/tokens"),
  ]);
  const api = tokens.find((one) => isHere(one) && !one.origins);
  if (!api) throw new Error("This container has no API token that may be used here; make one in Users and keys");
  const path = ["/database/1", route.container, route.environment, "public/records/accept"].join("/");
  // The user's token goes in a header, so that no log of addresses has it.
  const answer = await fetch(`${path}?${new URLSearchParams({ ckAPIToken: api.token })}`, {
    method: "POST",
    headers: { "X-Apple-CloudKit-Web-Auth-Token": token },
    body: JSON.stringify({ shortGUIDs: [{ value: record.shortGUID }] }),
  });
  const content = await answer.json();
  const failure = answer.ok ? content.results?.find((result) => result.serverErrorCode) : content;
  if (failure) throw Object.assign(new Error(failure.reason), { requestID: failure.uuid });
}
