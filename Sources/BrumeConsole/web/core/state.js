// What the page is drawn from besides the address and the server's answers: drafts, open dialogs, what
// was just said. One function draws everything; `update` asks for it once, before the next frame.

let draw = () => {};
let isAsked = false;
const drafts = new Map();

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
  if (!drafts.has(name)) drafts.set(name, make());
  return drafts.get(name);
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
