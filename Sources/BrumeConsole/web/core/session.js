// Who uses the console. The admin token is typed once and kept for this tab only; it is never stored for
// longer and never stands in an address.

import { update } from "./state.js";

const name = "brume.admin";
let token = sessionStorage.getItem(name) ?? "";

/** The headers that prove who calls. */
export function proof(hasBody) {
  const headers = {};
  if (token) headers.authorization = `Bearer ${token}`;
  if (hasBody) headers["content-type"] = "application/json";
  return headers;
}

export const isSignedIn = () => token !== "";

/** Signs in with the admin token; throws what the server answers to it. */
export async function signIn(text, check) {
  token = text.trim();
  await check();
  sessionStorage.setItem(name, token);
  update();
}

/** Forgets the token. */
export function signedOut() {
  token = "";
  sessionStorage.removeItem(name);
  update();
}
