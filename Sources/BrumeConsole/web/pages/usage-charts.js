// The charts of a span: requests, answer times, records, pushes, and files if there were any.

import { h } from "../core/render.js";
import { number, plural, size } from "../core/words.js";
import { Chart } from "../parts/chart.js";
import { took } from "./logs-line.js";

const time = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export function Charts({ usage, total, step }, span) {
  const times = usage.map((bucket) => bucket.time);
  const label = labels(step * usage.length);
  const of = (name, kind, value) => ({ name, kind, values: usage.map(value) });
  const shared = { times, label };
  const period = span.toLowerCase();
  return h(
    "div.charts",
    { key: "charts" },
    h(Chart, {
      ...shared,
      title: "Requests",
      total: number(total.requests),
      note: `${share(total.failed + total.refused, total.requests)} not answered with what was asked`,
      summary: `${plural(total.requests, "request")} in the last ${period}, ${number(total.refused)} refused, ` +
        `${number(total.failed)} failed`,
      series: [
        of("Answered", "c-ok", (bucket) => Math.max(0, bucket.requests - bucket.refused - bucket.failed)),
        of("Refused", "c-wait", (bucket) => bucket.refused),
        of("Failed", "c-bad", (bucket) => bucket.failed),
      ],
    }),
    h(Chart, {
      ...shared,
      title: "Answer times",
      lines: true,
      unit: (value) => (value === 0 ? "0" : took(value)),
      total: total.p95 === undefined ? "–" : took(total.p95),
      note: "95 of 100 requests took at most so long; without streams, polls and files",
      summary: total.p50 === undefined
        ? "No request was measured"
        : `Half of the requests took at most ${took(total.p50)}, 95 of 100 at most ${took(total.p95)}, ` +
          `99 of 100 at most ${took(total.p99)}`,
      series: [
        of("50 of 100", "c-off", (bucket) => bucket.p50),
        of("95 of 100", "c-accent", (bucket) => bucket.p95),
        of("99 of 100", "c-info", (bucket) => bucket.p99),
      ],
    }),
    h(Chart, {
      ...shared,
      title: "Records",
      total: number(total.saved + total.deleted),
      note: "saved and deleted",
      summary: `${plural(total.saved, "record")} saved and ${number(total.deleted)} deleted in the last ${period}`,
      series: [
        of("Saved", "c-accent", (bucket) => bucket.saved),
        of("Deleted", "c-off", (bucket) => bucket.deleted),
      ],
    }),
    h(Chart, {
      ...shared,
      title: "Pushes",
      total: number(total.pushes),
      note: "handed to devices, or taken by Apple, push services and webhooks",
      summary: `${plural(total.pushes, "push", "pushes")} in the last ${period}, ` +
        `${number(total.failedPushes)} not taken`,
      series: [
        of("Taken", "c-info", (bucket) => bucket.pushes),
        of("Not taken", "c-bad", (bucket) => bucket.failedPushes),
      ],
    }),
    total.uploadedBytes + total.downloadedBytes > 0 && h(Chart, {
      ...shared,
      title: "Files",
      unit: (value) => (value === 0 ? "0" : size(value)),
      total: size(total.uploadedBytes + total.downloadedBytes),
      note: "uploaded and downloaded",
      summary: `${size(total.uploadedBytes)} uploaded and ${size(total.downloadedBytes)} downloaded ` +
        `in the last ${period}`,
      series: [
        of("Uploaded", "c-accent", (bucket) => bucket.uploadedBytes),
        of("Downloaded", "c-info", (bucket) => bucket.downloadedBytes),
      ],
    }),
  );
}

/** How times are written in a chart of so many milliseconds: with the day where there is more than one. */
export const labels = (length) => (at, isAxis) =>
  length <= 2 * 86_400_000 ? time.format(at) : isAxis ? day.format(at) : `${day.format(at)} ${time.format(at)}`;

/** A part as a percentage that is not rounded to nothing. */
const share = (part, all) =>
  all === 0 || part === 0 ? "0 %" : part / all < 0.001 ? "less than 0.1 %" : `${((100 * part) / all).toFixed(1)} %`;
