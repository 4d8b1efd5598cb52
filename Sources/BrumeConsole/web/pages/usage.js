// Usage: what was this server used for, and who stores how much? Charts over an hour, a day, a week or 30 days,
// and the storage of each user, over time and now.

import { remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { route, withQuery } from "../core/router.js";
import { moment } from "../core/words.js";
import { CopyButton, Tabs } from "../parts/controls.js";
import { Head, Pane } from "../parts/layout.js";
import { Empty, Loaded } from "../parts/states.js";
import { Charts } from "./usage-charts.js";
import { Growth } from "./usage-growth.js";
import { Storage } from "./usage-storage.js";

export const page = { name: "usage", title: "Usage", icon: "usage", isLive: true, view };

const spans = { hour: "Hour", day: "Day", week: "Week", month: "30 days" };

function view() {
  const span = spans[route.query.span] ? route.query.span : "day";
  const entry = remote(`/_brume/admin/usage?span=${span}`);
  return [
    h(
      Head,
      {
        title: "Usage",
        note: entry.value && `of this server, counted since ${moment(entry.value.since)}`,
        actions:
          entry.value &&
            h(CopyButton, { kind: "primary", text: () => table(entry.value), what: "the numbers" }, "Copy as CSV"),
      },
      h(Tabs, {
        label: "Over",
        tabs: Object.entries(spans).map(([name, text]) => ({
          text,
          isOn: name === span,
          href: withQuery({ span: name === "day" ? "" : name }),
        })),
      }),
    ),
    Loaded(entry, (usage) =>
      isQuiet(usage)
        ? h(Pane, { key: "quiet" }, Empty("Quiet: no app has asked anything in this time", undefined, "usage"))
        : Charts(usage, spans[span])),
    Growth(span),
    Storage(),
  ];
}

const counted = ["requests", "saved", "deleted", "pushes", "failedPushes", "uploadedBytes", "downloadedBytes"];
const isQuiet = ({ total }) => counted.every((name) => !total[name]);

const columns = [
  "requests", "refused", "failed", "operatorRequests", "p50", "p95", "p99", "saved", "deleted", "pushes", "failedPushes",
  "uploadedBytes", "downloadedBytes",
];

/** The steps as lines with commas: times in the form that every program reads. */
const table = ({ usage }) =>
  [["time", ...columns].join(","), ...usage.map((step) =>
    [new Date(step.time).toISOString(), ...columns.map((name) => step[name] ?? "")].join(","))].join("\n");
