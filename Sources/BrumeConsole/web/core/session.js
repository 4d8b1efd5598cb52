// Who uses the console: an operator whose browser is signed in (a cookie that no script sees, and a token
// against forged requests), or whoever typed an admin token, which is kept for this tab only.

import { say, update } from "./state.js";

const stored = "brume.admin";
const address = "/_brume/admin/session";
/** Ours: how long until a server is asked again that did not say who this is. */
const pause = 2000;
let token = sessionStorage.getItem(stored) ?? "";
let session;
/** Whose drafts there are. */
let last;

/** Whether the server has said who this is. */
export let isAsked = false;
/** Whether it was asked, and has not. */
export let isSilent = false;

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

const leavings = [];
/** Calls a function when somebody has signed out, or somebody else has signed in. */
export const onLeaving = (function_) => leavings.push(function_);

function leave() {
  last = undefined;
  leavings.forEach((function_) => function_());
}

function become(found) {
  if (last !== undefined && last !== found.operator.name) leave();
  session = found;
  last = found.operator.name;
  update();
}

/** Who the server says that this is; undefined if it knows nobody. Throws if it says neither: that is no signing out. */
async function ask() {
  const answer = await fetch(address, { headers: proof(false), cache: "no-store" });
  if (answer.ok) return await answer.json();
  if (answer.status === 401) return undefined;
  throw new Error(`The server answered ${answer.status}`);
}

/** Asks the server who this is, until it says so. */
export async function recognise() {
  while (!isAsked) {
    try {
      const found = await ask();
      isAsked = true;
      if (found) become(found);
      else signedOut();
    } catch {
      isSilent = true;
      update();
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** Signs this tab in with an admin token; false if the server does not know it. */
export async function signIn(text) {
  token = text.trim();
  try {
    const found = await ask();
    if (!found) return signedOut();
    sessionStorage.setItem(stored, token);
    become(found);
    return true;
  } catch (error) {
    token = "";
    throw error;
  }
}

/**
 * After a change that was refused: whether the same operator has signed in again in another tab, so that `csrf`, with which
 * it was sent, is old. If it was somebody else, that is said.
 */
export async function isRenewed(csrf) {
  const before = session;
  if (token || !before) return false;
  const found = await ask().catch(() => undefined);
  if (!found || found.csrf === csrf) return false;
  const isSame = found.operator.name === before.operator.name;
  become(found);
  if (!isSame) say(`${found.operator.name} is signed in here now, ${before.operator.name} no longer: nothing was changed`, true);
  return isSame;
}

/** Signs out: ends the browser's session, or forgets the token. Says so to who is still signed in. */
export async function signOut() {
  if (!token && !(await isEnded())) return say("The server did not end the session: you are signed in. Try again", true);
  leave();
  signedOut();
}

async function isEnded() {
  const end = () => fetch(`${address}/end`, { method: "POST", headers: proof(true), body: "{}" }).catch(() => undefined);
  let answer = await end();
  if (answer?.status === 403 && (await isRenewed(proof(false)["x-brume-csrf"]))) answer = await end();
  return answer?.ok || answer?.status === 401;
}

/** The server does not know this one any more. What they typed stays, for when they sign in again. Answers false. */
export function signedOut() {
  [token, session] = ["", undefined];
  sessionStorage.removeItem(stored);
  update();
  return false;
}
