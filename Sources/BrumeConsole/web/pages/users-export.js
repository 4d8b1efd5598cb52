// One user's private database as a file, as `brume export` writes it.

import { place } from "../core/places.js";
import { h } from "../core/render.js";
import { whoIsSignedIn } from "../core/session.js";
import { say } from "../core/state.js";
import { Button } from "../parts/controls.js";
import { download } from "../parts/download.js";

/** Has the browser fetch the file; there is a line in the audit log. */
export const ExportButton = ({ user }) =>
  h(Button, { icon: "backup", disabled: !user, onclick: () => fetchFile(user) }, "Export");

async function fetchFile(user) {
  // A file that is refused would be one that failed, without a word.
  if (whoIsSignedIn()?.operator.role === "read-only") {
    return say("You may only read; an operator with the role 'full' can export a user", true);
  }
  try {
    await download(`/_brume/admin/users/export?${place({ user })}`, `${user}.jsonl`);
    say(`The browser fetches what ${user} has here`);
  } catch (error) {
    say(error.message, true);
  }
}
