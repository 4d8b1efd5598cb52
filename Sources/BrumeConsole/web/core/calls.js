// Calls of the server. What was answered is kept: a page paints from memory, then asks again. A call that
// nobody waits for any more is aborted. Who calls is session.js.

import { isRenewed, proof, signedOut } from "./session.js";
import { update } from "./state.js";

/** Why a call failed, with the ID under which the server's log knows it. */
export class Failure extends Error {
  constructor(status, body, requestID) {
    super(body?.reason ?? (status ? `The server answered ${status}` : "The server does not answer"));
    this.status = status;
    this.code = body?.brume?.code ?? body?.serverErrorCode ?? "";
    this.requestID = body?.uuid ?? requestID ?? "";
    this.body = body;
  }
  /** Nobody is signed in, or no longer. */
  get isSignedOut() {
    return this.status === 401;
  }
  get isForbidden() {
    return this.status === 403;
  }
}

/** One call; a body makes it a POST. Throws a `Failure`. */
export async function call(path, body, signal, isAgain = false) {
  const headers = proof(body !== undefined);
  let answer;
  try {
    answer = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, null, "");
  }
  const isJSON = answer.headers.get("content-type")?.includes("json");
  const content = isJSON ? await answer.json().catch(() => null) : await answer.text();
  if (answer.ok) return content;
  const failure = new Failure(answer.status, isJSON ? content : null, answer.headers.get("x-apple-request-uuid"));
  if (failure.isSignedOut) signedOut();
  const csrf = body !== undefined && headers["x-brume-csrf"];
  if (failure.isForbidden && csrf && !isAgain && (await isRenewed(csrf))) return call(path, body, signal, true);
  throw failure;
}

// MARK: What is kept

const kept = new Map();
let visit = 0;
let isUrgent = false;
const mostKept = 200;

/**
 * What a path answers: `{ value, error, isLoading }`, now from memory and soon from the server. Asked for
 * while the page is drawn; when the answer is there, the page is drawn again. With a body it is a question
 * that is posted, and must change nothing.
 */
export function remote(path, body) {
  const name = body === undefined ? path : path + JSON.stringify(body);
  let entry = kept.get(name);
  if (!entry) {
    entry = { isLoading: false, visit: -1 };
    kept.set(name, entry);
  }
  entry.asked = drawing;
  if (entry.visit !== visit && !(entry.isLoading && !isUrgent)) load(entry, path, body);
  return entry;
}

const pages = new Map();
const mostPages = 8;

/**
 * The same for a list that comes in pages: while one is on its way, the page before it stays, and the focus in it. What
 * says where a page begins (`after`, `before`, `continuationMarker`) does not distinguish lists.
 */
export function paged(path, body) {
  const entry = remote(path, body);
  const list = path.replace(/(?<=[?&])(after|before)=[^&]*&?/g, "").replace(/[?&]$/, "") +
    JSON.stringify({ ...body, continuationMarker: undefined });
  if (entry.value !== undefined) {
    pages.delete(list);
    pages.set(list, entry.value);
    if (pages.size > mostPages) pages.delete(pages.keys().next().value);
  }
  const before = pages.get(list);
  return entry.value === undefined && !entry.error && before !== undefined ? { value: before, isLoading: true } : entry;
}

/** More than the server takes for any answer. What does not come in it would keep a live page as it is for good. */
const patience = 70_000;

async function load(entry, path, body) {
  entry.visit = visit;
  entry.abort?.abort();
  const abort = new AbortController();
  const late = setTimeout(() => abort.abort(), patience);
  Object.assign(entry, { abort, isLoading: true });
  try {
    const value = await call(path, body, abort.signal);
    if (entry.abort !== abort) return;
    Object.assign(entry, { value, error: undefined });
  } catch (error) {
    // Who gives up has put another in its place, or none.
    if (entry.abort !== abort) return;
    entry.error = error.name === "AbortError" ? new Failure(0, null, "") : error;
  } finally {
    clearTimeout(late);
  }
  Object.assign(entry, { isLoading: false, abort: undefined });
  update();
}

/**
 * All that is shown is asked for again. What is under way is waited for, and then asked for once more: a busy server says more
 * often than it answers that something changed. Only who asks by a key or a button, whose event this is, waits for nothing.
 */
export function refresh(event) {
  visit += 1;
  isUrgent = event !== undefined;
  update();
}

let drawing = 0;
/** Called before the page is drawn. */
export const beginDrawing = () => (drawing += 1);

/** Called afterwards: what the page no longer asks for is given up, and the oldest of it forgotten. */
export function endDrawing() {
  for (const [path, entry] of kept) {
    if (entry.asked === drawing) continue;
    if (entry.isLoading) {
      entry.abort?.abort();
      Object.assign(entry, { isLoading: false, visit: -1, abort: undefined });
    }
    if (kept.size > mostKept) kept.delete(path);
  }
}

/** Forgets everything: somebody else may sign in. */
export function forget() {
  kept.clear();
  pages.clear();
}
