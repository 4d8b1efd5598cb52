// Single keys and Ctrl with a key. Pages name what theirs do; the list that `?` opens is made of the same
// names. Single keys act outside fields only, and can be switched off.

import { update } from "./state.js";

const setting = "brume.keys";
let pageKeys = {};

export const singleKeys = {
  get areOn() {
    return localStorage.getItem(setting) !== "off";
  },
  set areOn(value) {
    localStorage.setItem(setting, value ? "on" : "off");
    update();
  },
};

/** The keys of the page that is drawn: `{ n: ["New record", function] }`; with Ctrl: `"ctrl+s"`. */
export function useKeys(keys) {
  pageKeys = keys ?? {};
}

/** All keys with what they do, for the list. */
export const allKeys = () => ({ ...frameKeys, ...pageKeys });

let frameKeys = {};
/** Keys that act on every page; called once. */
export function useEverywhere(keys) {
  frameKeys = keys;
}

const isField = (element) => element.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(element.tagName);

window.addEventListener("keydown", (event) => {
  if (event.altKey || event.isComposing) return;
  const withControl = event.ctrlKey || event.metaKey;
  const isOpen = document.querySelector("dialog[open]") !== null;
  const name = (withControl ? "ctrl+" : "") + (event.key === "Enter" ? "enter" : event.key.toLowerCase());
  if (!withControl && event.key.length === 1 && (isField(event.target) || !singleKeys.areOn)) return;
  if (!withControl && event.key === "Enter") return;
  const found = isOpen ? undefined : (pageKeys[name] ?? frameKeys[name]);
  if (!found) return;
  event.preventDefault();
  found[1](event);
});
