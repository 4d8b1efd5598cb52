// A file that the server makes, fetched by the browser.

import { Failure } from "../core/calls.js";
import { proof, whoIsSignedIn } from "../core/session.js";

/**
 * With a cookie the browser fetches it as any file, and says itself what became of it; a typed token has to be sent by us.
 * Answers whether all of it has come. Throws a `Failure`.
 */
export async function download(address, name) {
  if (whoIsSignedIn()?.csrf) {
    keep(address, name);
    return false;
  }
  const silent = () => {
    throw new Failure(0, null, "");
  };
  const answer = await fetch(address, { headers: proof(false) }).catch(silent);
  if (!answer.ok) throw new Failure(answer.status, await answer.json().catch(() => null), "");
  const file = URL.createObjectURL(await answer.blob().catch(silent));
  keep(file, name);
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(file), 60_000);
  return true;
}

function keep(address, name) {
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
}
