// What the page is drawn from besides the address and the server's answers: drafts, open dialogs, what
// was just said. One function draws everything; `update` asks for it once, before the next frame.

let draw = () => {};
let isAsked = false;
/** By name, with what each was when it was begun; the one that was used last comes last. */
const drafts = new Map();
/** Ours: each record that is looked at has one. */
const mostDrafts = 200;

/** What draws the page; called once, by app.js. */
export function drawWith(function_) {
  draw = function_;
}

/** Draws again, soon. */
export function update() {
  if (isAsked) return;
  isAsked = true;
  queueMicrotask(() => {
    isAsked = false;
    draw();
  });
}

/** Something half done, kept while the page stays open: never in the address, never stored. */
export function draft(name, make) {
  const kept = drafts.get(name) ?? begin(make());
  drafts.delete(name);
  drafts.set(name, kept);
  return kept.state;
}

const begin = (state) => {
  if (drafts.size >= mostDrafts) forgetUntouched();
  return { state, begun: JSON.stringify(state) };
};

/** Forgets the oldest draft in which nothing was done; what somebody has typed is only theirs to forget. */
function forgetUntouched() {
  for (const [name, { state, begun }] of drafts) {
    if (JSON.stringify(state) === begun) return drafts.delete(name);
  }
}

/** Forgets a draft. */
export function drop(name) {
  drafts.delete(name);
  update();
}

/** Forgets all of them: somebody has left, and what they typed is nobody else's. */
export function dropAll() {
  drafts.clear();
  update();
}

/** Whether somebody has begun something that leaving would lose. */
export const hasDraft = (name) => drafts.has(name);

/** A handler for a field of a draft: `oninput: into(draft, "name")`. */
export const into = (object, name) =>
  (event) => {
    object[name] = event.target.type === "checkbox" ? event.target.checked : event.target.value;
    update();
  };

const underWay = new WeakSet();

/** Does something unless it is under way for the same thing, such as a draft: who clicks twice begins it once. */
export async function once(thing, act) {
  if (underWay.has(thing)) return;
  underWay.add(thing);
  try {
    await act();
  } finally {
    underWay.delete(thing);
  }
}

/** Does what a form sends, once; its draft knows that it is under way (`isBusy`), and what failed (`error`). */
export const sendOnce = (state, act) =>
  once(state, async () => {
    Object.assign(state, { isBusy: true, error: undefined });
    update();
    try {
      await act();
    } catch (error) {
      state.error = error;
    }
    state.isBusy = false;
    update();
  });

// MARK: What is said

/** The last sentence for everybody, screen readers included; drawn by frame.js. */
export const said = { text: "", isBad: false };
let silence;

/** Says a sentence in the polite live region, and shows it for six seconds. */
export function say(text, isBad = false) {
  Object.assign(said, { text, isBad });
  clearTimeout(silence);
  silence = setTimeout(
    () => {
      said.text = "";
      update();
    },
    6000,
  );
  update();
}
