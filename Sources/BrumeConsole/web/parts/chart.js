// Charts of counts over time, drawn as SVG by attributes alone, each with the same as a table. A chart is one
// picture to a screen reader, whose name says what a glance would; the table has the numbers.

import { h } from "../core/render.js";
import { number } from "../core/words.js";

const [width, height] = [560, 150];
const edge = { left: 56, right: 8, top: 10, bottom: 22 };
const plot = { width: width - edge.left - edge.right, height: height - edge.top - edge.bottom };

/** Where an axis may end so that its middle is a whole number: 2, 4, 10, 20, 40, 100… */
export function roundUp(value) {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 10].map((step) => step * power).find((step) => step >= value);
}

/**
 * `times` are where steps begin; `series` are `{ name, kind, values }`, stacked as bars or drawn as lines, where a
 * value may be missing; `unit(value)` writes a number on the axis and in titles; `label(time, isAxis)` a time. The table
 * has the series of `listed`, which may be more than a picture can show.
 */
export function Chart({ title, total, note, times, series, listed = series, lines = false, unit = number, label, summary }) {
  const sums = times.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const tops = lines ? series.flatMap(({ values }) => values.map((value) => value ?? 0)) : sums;
  const top = roundUp(Math.max(0, ...tops));
  return h(
    "section.pane.chart",
    { key: title, "aria-label": title },
    h("header", null, h("h2", null, title), h("p.total", null, total), note && h("p.note", null, note)),
    h(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": summary },
      Axis(top, unit),
      Times(times, label),
      lines ? series.map((one) => Line(one, times.length, top)) : Bars(series, times, top, unit, label),
    ),
    h("div.legend", null, series.map(({ name, kind }) => h("span", { key: name }, h("i", { class: kind }), name))),
    h("details", { key: "table" }, h("summary", null, "As a table"), Numbers(title, times, listed, unit, label)),
  );
}

const across = (at, count) => edge.left + (plot.width * at) / count;
const up = (value, top) => edge.top + plot.height * (1 - value / top);

const Axis = (top, unit) =>
  [0, 0.5, 1].map((share) =>
    h(
      "g",
      { key: `axis-${share}` },
      h("line.grid", { x1: edge.left, x2: width - edge.right, y1: up(share, 1), y2: up(share, 1) }),
      h("text.mark", { x: edge.left - 6, y: up(share, 1) + 4, "text-anchor": "end" }, unit(top * share)),
    ));

/** Four times below the axis, each in the middle of its step. */
const Times = (times, label) =>
  [0, 1, 2, 3].map((quarter) => {
    const at = Math.min(times.length - 1, Math.round((times.length * quarter) / 4));
    return h(
      "text.mark",
      { key: `time-${quarter}`, x: across(at, times.length), y: height - 6, "text-anchor": "start" },
      label(times[at], true),
    );
  });

function Bars(series, times, top, unit, label) {
  const step = plot.width / times.length;
  const gap = step > 4 ? 1 : 0;
  return times.map((time, at) => {
    let base = 0;
    const parts = series.filter(({ values }) => values[at] > 0).map(({ name, kind, values }) => {
      const part = h("rect", {
        key: name,
        class: kind,
        x: across(at, times.length).toFixed(2),
        width: Math.max(0.5, step - gap).toFixed(2),
        y: up(base + values[at], top).toFixed(2),
        // What is there is seen, however little it is.
        height: Math.max(1, (plot.height * values[at]) / top).toFixed(2),
      });
      base += values[at];
      return part;
    });
    if (parts.length === 0) return null;
    const words = series.map(({ name, values }) => `${name} ${unit(values[at] ?? 0)}`).join(", ");
    return h("g", { key: `bar-${at}` }, h("title", null, `${label(time)}: ${words}`), parts);
  });
}

/** A line breaks where nothing was measured; what stands alone is a dot. */
function Line({ name, kind, values }, count, top) {
  const runs = [];
  values.forEach((value, at) => {
    if (value === undefined) return;
    const point = `${across(at + 0.5, count).toFixed(2)},${up(value, top).toFixed(2)}`;
    if (values[at - 1] === undefined) runs.push([point]);
    else runs.at(-1).push(point);
  });
  return h(
    "g",
    { key: name, class: kind },
    runs.map((run, at) =>
      run.length === 1
        ? h("circle", { key: String(at), cx: run[0].split(",")[0], cy: run[0].split(",")[1], r: 2 })
        : h("polyline", { key: String(at), points: run.join(" ") })),
  );
}

/** The steps in which something was counted, newest first. */
function Numbers(title, times, series, unit, label) {
  const steps = times.map((time, at) => ({ time, at }));
  const rows = steps.filter(({ at }) => series.some(({ values }) => values[at])).reverse();
  if (rows.length === 0) return h("p.note", null, "Nothing was counted in this time.");
  return h(
    "div.table",
    { tabindex: 0, role: "region", "aria-label": `${title} as a table` },
    h(
      "table",
      null,
      h("caption.unseen", null, title),
      h("thead", null, h("tr", null, ["From", ...series.map(({ name }) => name)].map((name, at) =>
        h("th", { scope: "col", class: at > 0 && "right" }, name)))),
      h("tbody", null, rows.map(({ time, at }) =>
        h("tr", { key: String(time) }, h("td", null, label(time)), series.map(({ name, values }) =>
          h("td.right", { key: name }, values[at] === undefined ? "–" : unit(values[at])))))),
    ),
  );
}
