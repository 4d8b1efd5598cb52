// The containers and environments that there are, and the users: what the pickers in the bar offer.

import { remote } from "./calls.js";
import { route } from "./router.js";

/** The query that names container and environment in a call of the operator. */
export const place = (more = {}) => {
  const query = new URLSearchParams({ container: route.container, environment: route.environment });
  for (const [name, value] of Object.entries(more)) {
    if (value !== undefined && value !== "" && value !== null) query.set(name, value);
  }
  return query.toString();
};

/** A call of the operator about this container and environment. */
export const admin = (path, more) => `/_brume/admin/${path}?${place(more)}`;

/** The containers that there are, in order; the one of the address is always among them. */
export function containers() {
  const found = remote("/_brume/admin/containers").value?.containers ?? [];
  return [...new Set([route.container, ...found.map(({ container }) => container)].filter(Boolean))].sort();
}

/** The names of all users. */
export const userNames = () => (remote("/_brume/admin/users").value?.users ?? []).map((user) => user.name);
