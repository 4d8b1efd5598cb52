// Light or dark: as the system says, until somebody chooses; the choice is kept.

import { update } from "./state.js";

const setting = "brume.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

function apply() {
  const chosen = localStorage.getItem(setting);
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

export const isDark = () => (localStorage.getItem(setting) ?? (dark.matches ? "dark" : "light")) === "dark";

/** The other one of the two. */
export function toggleTheme() {
  localStorage.setItem(setting, isDark() ? "light" : "dark");
  apply();
  update();
}

apply();
dark.addEventListener("change", update);
