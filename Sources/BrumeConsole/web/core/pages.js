// The list of pages, which is the navigation. A page is a module in pages/ whose `page` has a title, an
// icon, a `view`, and maybe `keys`; `isOffered` hides it where the server has no such thing.

import { page as start } from "../pages/start.js";
import { page as records } from "../pages/records.js";
import { page as schema } from "../pages/schema.js";
import { page as zones } from "../pages/zones.js";
import { page as trace } from "../pages/trace.js";
import { page as devices } from "../pages/devices.js";
import { page as push } from "../pages/push.js";
import { page as faults } from "../pages/faults.js";
import { page as logs } from "../pages/logs.js";
import { page as usage } from "../pages/usage.js";
import { page as users } from "../pages/users.js";
import { page as backup } from "../pages/backup.js";

/** Groups of the navigation; the first has no heading. */
export const groups = [
  { title: "", pages: [start] },
  { title: "Data", pages: [records, zones, schema] },
  { title: "Sync", pages: [trace, devices, push, faults] },
  { title: "Server", pages: [users, logs, usage, backup] },
];

export const pages = groups.flatMap((group) => group.pages);

/** Whether the server has what a page shows. */
export const isOffered = (page, status) => !page.isForDevelopment || status?.dev === true;
