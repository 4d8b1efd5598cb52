// Light or dark: as the system says, until somebody chooses; the choice is kept, and can be taken back.

import { update } from "./state.js";

const setting = "brume.theme";

/** In the order in which the button goes through them. */
const themes = ["system", "light", "dark"];

/** What holds: "system" until somebody chooses. */
export function theme() {
  const chosen = localStorage.getItem(setting);
  return themes.includes(chosen) ? chosen : "system";
}

function apply() {
  if (theme() === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme();
}

/** The next of the three. */
export function nextTheme() {
  const next = themes[(themes.indexOf(theme()) + 1) % themes.length];
  if (next === "system") localStorage.removeItem(setting);
  else localStorage.setItem(setting, next);
  apply();
  update();
}

apply();
