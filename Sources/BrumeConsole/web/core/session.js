// Who uses the console: an operator whose browser is signed in (a cookie that no script sees, and a token
// against forged requests), or whoever typed an admin token, which is kept for this tab only.

import { update } from "./state.js";

const stored = "brume.admin";
const address = "/_brume/admin/session";
let token = sessionStorage.getItem(stored) ?? "";
let session;

/** Whether the server was asked who this is. */
export let isAsked = false;

/** Who is signed in: `{ operator: { name, role }, proof, csrf, ends }`. */
export const whoIsSignedIn = () => session;

export const isSignedIn = () => session !== undefined;

/** The headers that prove who calls. */
export function proof(hasBody) {
  const headers = {};
  if (token) headers.authorization = `Bearer ${token}`;
  else if (session?.csrf) headers["x-brume-csrf"] = session.csrf;
  if (hasBody) headers["content-type"] = "application/json";
  return headers;
}

/** Asks the server who this is. */
export async function recognise() {
  try {
    const answer = await fetch(address, { headers: proof(false), cache: "no-store" });
    session = answer.ok ? await answer.json() : undefined;
  } finally {
    isAsked = true;
    update();
  }
}

/** Signs this tab in with an admin token; false if the server does not know it. */
export async function signIn(text) {
  token = text.trim();
  await recognise();
  if (session) sessionStorage.setItem(stored, token);
  else signedOut();
  return session !== undefined;
}

/** Signs out: ends the browser's session, or forgets the token. */
export async function signOut() {
  if (!token) await fetch(`${address}/end`, { method: "POST", headers: proof(true), body: "{}" }).catch(() => {});
  signedOut();
}

/** The server does not know this one any more. */
export function signedOut() {
  [token, session] = ["", undefined];
  sessionStorage.removeItem(stored);
  update();
}
