// What the users who store most stored over time: a line for each of the first, a column for each that is kept.

import { remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { size } from "../core/words.js";
import { Chart } from "../parts/chart.js";
import { Loaded } from "../parts/states.js";
import { labels } from "./usage-charts.js";

/** As many lines as colours tell apart. */
const kinds = ["c-accent", "c-info", "c-ok", "c-wait", "c-off"];

export const Growth = (span) =>
  h("div.charts.few", { key: "growth" }, Loaded(remote(`/_brume/admin/usage/storage/history?span=${span}`), Lines));

function Lines({ from, step, steps, users }) {
  const times = Array.from({ length: steps }, (_, at) => from + at * step);
  const listed = users.filter(({ samples }) => samples.some(({ bytes }) => bytes > 0)).map((user, at) =>
    line(user, kinds[at], times));
  if (listed.length === 0) return null;
  const drawn = listed.slice(0, kinds.length);
  return h(Chart, {
    title: "Storage of users over time",
    lines: true,
    times,
    label: labels(steps * step),
    unit: (value) => (value === 0 ? "0" : size(value)),
    total: sizeOf(listed),
    note: note(listed, drawn),
    summary: drawn.map(({ name, last }) => `${name} stores ${words(last)}`).join(", "),
    series: drawn,
    listed,
  });
}

/** A user's sizes, step by step; where nothing was counted there is none. */
function line({ user, samples }, kind, times) {
  const byTime = new Map(samples.map((sample) => [sample.time, sample]));
  return { name: user, kind, values: times.map((time) => byTime.get(time)?.bytes), last: samples.at(-1) };
}

const words = ({ bytes, whole }) => size(bytes) + (whole ? "" : " or more");

const sizeOf = (listed) =>
  words({
    bytes: listed.reduce((sum, { last }) => sum + last.bytes, 0),
    whole: listed.every(({ last }) => last.whole),
  });

const note = (listed, drawn) => {
  const whose = listed.length === 1 ? "of one user" : `of the ${listed.length} users who store most`;
  return drawn.length < listed.length ? `${whose}; the table has all of them` : whose;
};
