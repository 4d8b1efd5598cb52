// The containers and environments that there are, and the users: what the pickers in the bar offer.

import { remote } from "./calls.js";
import { health } from "./health.js";
import { route } from "./router.js";

/** The query that names container and environment in a call of the operator. */
export const place = (more = {}) => {
  const query = new URLSearchParams({ container: route.container, environment: route.environment });
  for (const [name, value] of Object.entries(more)) {
    if (value !== undefined && value !== "" && value !== null) query.set(name, value);
  }
  return query.toString();
};

/** How a command names this container, where it would take another by itself. */
export const containerFlag = () =>
  route.container && route.container !== health.status?.container ? ` --container ${route.container}` : "";

/** The same with the environment. */
export const placeFlags = () =>
  containerFlag() + (route.environment === "development" ? "" : ` --environment ${route.environment}`);

/** A call of the operator about this container and environment. */
export const admin = (path, more) => `/_brume/admin/${path}?${place(more)}`;

/** The containers that there are, in order; the one of the address is always among them. */
export function containers() {
  const found = remote("/_brume/admin/containers").value?.containers ?? [];
  return [...new Set([route.container, ...found.map(({ container }) => container)].filter(Boolean))].sort();
}

/** Ours: a list of more users is none that anybody reads. */
const mostListed = 200;
export const usersAsked = () => remote(`/_brume/admin/users?limit=${mostListed}`);
const users = () => usersAsked().value;

/** The first users by name: all of them, or as many as a list may have. */
export const knownUsers = () => users()?.users ?? [];
export const userNames = () => knownUsers().map((user) => user.name);
export const areMoreUsers = () => users()?.after !== undefined;

/** The call for users whose names begin so. */
export const usersNamed = (beginning, limit = 20, after = "") =>
  `/_brume/admin/users?${new URLSearchParams({ prefix: beginning, limit: String(limit), ...(after && { after }) })}`;

/** Who was chosen, if there may be such a user, or the first. */
export const chosenUser = (name, among = userNames()) =>
  name && (areMoreUsers() || among.includes(name)) ? name : (among[0] ?? "");
